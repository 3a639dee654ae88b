"""The knowledge of searches as options of agents: a network, or a folder of experts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from phasezoo.agents.search.mcts import M2CTSAgent
from phasezoo.errors import InvalidConfig
from phasezoo.inference.backends.choice import Loading
from phasezoo.inference.evaluator import Uniform
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.storage.experts import load_experts
from phasezoo.inference.storage.load import load
from phasezoo.inference.storage.packaged import holds_experts
from phasezoo.specs import Part
from phasezoo.types import Gate


def network(
    net: str | Path | None = None, **loading: Any
) -> Uniform | NetworkEvaluator | MixtureOfExperts:
    """The evaluator in a folder, or one without knowledge.

    Args:
        net: The folder of a network or of experts, or a name such as ``"phasezoo/chess-small"``;
            None: all actions are alike and all positions even.
        loading: Fields of :class:`Loading`.
    """
    if net is None:
        defaults = vars(Loading())
        idle = [name for name, value in loading.items() if value != defaults[name]]
        if idle:
            message = (
                f"{idle[0]}={loading[idle[0]]!r} says how a network is loaded, and no network is "
                "given: give net=, a folder or a name such as net=phasezoo/chess-small, or leave "
                f"{idle[0]}= out"
            )
            raise InvalidConfig(message)
        return Uniform()
    return load(net, **Loading(**loading).as_options())


def make_m2cts(
    experts: Mapping[str, Any] | str | Path | None = None,
    gate: str | Gate | None = None,
    *,
    policy: Mapping[str, Any] | str | Path | None = None,
    value: Mapping[str, Any] | str | Path | None = None,
    fallback: str | None = None,
    loading: Loading | None = None,
    **options: Any,
) -> M2CTSAgent:
    """The agent of an evaluator for each phase, or of a folder of experts.

    Args:
        experts: Evaluators by phase; or the folder of experts, or its name in the package.
        gate: The gate that they were trained under; default the one that the folder names.
        policy: In place of ``experts``, and with ``value``: what answers policies, by phase; or the
            folder of experts, or of one network for all phases.
        value: What answers values, likewise.
        fallback: The phase whose expert answers for those that have none; likewise.
        loading: How the folder's networks are loaded.
        options: As for :class:`~phasezoo.agents.M2CTSAgent`.
    """
    how = (loading or Loading()).as_options()
    parts: dict[str, Any] = {"experts": experts, "policy": policy, "value": value}
    if experts is None and policy is None and value is None:
        message = (
            "m2cts needs experts=, the folder of phase experts, or policy= and value=, such as "
            "m2cts:policy=runs/experts,value=runs/network"
        )
        raise InvalidConfig(message)
    for name, given in parts.items():
        if not isinstance(given, str | Path):
            continue
        if name != "experts" and not holds_experts(given):
            parts[name] = load(given, **how)  # one network for all phases
            continue
        found = load_experts(given)
        gate = found.gate if gate is None else gate
        loaded = found.evaluators if name == "experts" else found.by_phase
        parts[name] = loaded(gate, **how)
        fallback = found.fallback_phase if fallback is None else fallback
    if gate is None:
        message = "m2cts needs gate=, the gate that its experts were trained under"
        raise InvalidConfig(message)
    return M2CTSAgent(gate=gate, fallback=fallback, **parts, **options)


NETWORK = Part("evaluator", network, like=Loading, always=True)
"""An evaluator by ``net=`` and how it is loaded."""

LOADING = Part("loading", Loading)
"""How networks are loaded, by the fields of that."""
