"""Makes the environments known to Gymnasium and PettingZoo.

Everything is registered by string, so that specs survive serialisation and a new process, and so
that an environment's code is loaded when the first one is made.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import pettingzoo

from phasezoo.resolver import find_agents_by, find_games_by, find_gate_trainer_by

__all__ = ["ENVIRONMENTS", "NAMESPACE", "Environment", "register_all"]


NAMESPACE = "phasezoo"
"""Every Gymnasium id is registered plain and again as ``phasezoo/…``."""


@dataclass(frozen=True)
class Environment:
    """One line of the registration table."""

    gymnasium_id: str
    """Such as ``"Chess-v0"``."""
    entry_point: str
    """The environment's class."""
    vector_entry_point: str
    """The class that steps many natively."""
    pettingzoo_module: str
    """Name of the module in :mod:`phasezoo.envs` with ``env`` and ``raw_env``."""
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    """Given to the classes."""


ENVIRONMENTS = (
    Environment(
        gymnasium_id="Chess-v0",
        entry_point="phasezoo.envs:ChessEnv",
        vector_entry_point="phasezoo.envs:ChessVectorEnv",
        pettingzoo_module="chess_v0",
    ),
    Environment(
        gymnasium_id="AtomicChess-v0",
        entry_point="phasezoo.envs:AtomicChessEnv",
        vector_entry_point="phasezoo.envs:AtomicChessVectorEnv",
        pettingzoo_module="atomic_chess_v0",
    ),
    Environment(
        gymnasium_id="Crazyhouse-v0",
        entry_point="phasezoo.envs:CrazyhouseEnv",
        vector_entry_point="phasezoo.envs:CrazyhouseVectorEnv",
        pettingzoo_module="crazyhouse_v0",
    ),
    Environment(
        gymnasium_id="ConnectFour-v0",
        entry_point="phasezoo.envs:ConnectFourEnv",
        vector_entry_point="phasezoo.envs:ConnectFourVectorEnv",
        pettingzoo_module="connect_four_v0",
    ),
    Environment(
        gymnasium_id="KRK-v0",
        entry_point="phasezoo.envs:KRKEnv",
        vector_entry_point="phasezoo.envs:KRKVectorEnv",
        pettingzoo_module="krk_v0",
    ),
    *(
        Environment(
            gymnasium_id=f"Pommerman{name}-v0",
            entry_point="phasezoo.envs:PommermanEnv",
            vector_entry_point="phasezoo.envs:PommermanVectorEnv",
            pettingzoo_module="pommerman_v0",
            kwargs={"mode": mode},
        )
        for name, mode in (
            ("FFA", "ffa"),
            ("Team", "team"),
            ("TeamRadio", "radio"),
            ("OneVsOne", "1v1"),
        )
    ),
)

_PARALLEL = ("pommerman_v0",)
"""Modules of games whose players move at once."""


def register_all() -> None:
    """Register every environment that is not registered yet; calling it twice is harmless."""
    find_agents_by(_agent_named)
    find_gate_trainer_by(_gate_trainer)
    find_games_by(_game_named)
    for environment in ENVIRONMENTS:
        for prefix in ("", f"{NAMESPACE}/"):
            name = prefix + environment.gymnasium_id
            if name in gymnasium.registry:
                _warn_of_another(environment, name)
            else:
                gymnasium.register(
                    id=name,
                    entry_point=environment.entry_point,
                    vector_entry_point=environment.vector_entry_point,
                    kwargs=dict(environment.kwargs),
                )
        _register_with_pettingzoo(environment.pettingzoo_module)


def _warn_of_another(environment: Environment, name: str) -> None:
    """Say so if another package holds ``name``, and what ours is called then."""
    if gymnasium.registry[name].entry_point == environment.entry_point:
        return
    ours = f"{NAMESPACE}/{environment.gymnasium_id}"
    message = (
        f"{name!r} is registered by another package, and gymnasium.make({name!r}) makes its "
        f"environment; that of phasezoo is {ours!r}"
    )
    warnings.warn(message, stacklevel=4)


def _agent_named(text: str) -> Any:
    from phasezoo import agents  # heavy, and above the environments that ask for it

    return agents.make(text)


def _gate_trainer() -> Any:
    from phasezoo._torch import require_torch

    require_torch()
    from phasezoo.training.gates.training import train_gate  # heavy, and above what it trains

    return train_gate


def _game_named(name: str, **options: Any) -> Any:
    from phasezoo import games  # nothing of the package is loaded with it

    return games.make(name, **options)


def _register_with_pettingzoo(module: str) -> None:
    """Register with PettingZoo's registry, which came with its release 1.27."""
    register = getattr(pettingzoo, "register", None)
    registered = getattr(pettingzoo, "aec_registry", {})
    name = f"{NAMESPACE}/{module.replace('_v', '-v')}"
    if register is not None and name not in registered:
        register("aec", name, entry_point=f"phasezoo.envs.{module}:env")
    if module in _PARALLEL and name not in getattr(pettingzoo, "parallel_registry", {name}):
        pettingzoo.register("parallel", name, entry_point=f"phasezoo.envs.{module}:parallel_env")
