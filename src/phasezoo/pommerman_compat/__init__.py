"""A stand-in for ``pommerman``, enough for agents and training scripts written for it.

Such agents begin with ``from pommerman import agents, constants, utility``. If the original is
not installed, :func:`install` makes this work in one process; importing phasezoo never does::

    from phasezoo import pommerman_compat
    from phasezoo.agents import LegacyPommermanAgent

    pommerman_compat.install()
    from my_old_code import MyAgent

    agent = LegacyPommermanAgent(MyAgent)

Scripts that train or play run too; without :func:`install` their import lines change alone::

    from phasezoo import pommerman_compat as pommerman
    from phasezoo.pommerman_compat import agents, constants
    from phasezoo.pommerman_compat.configs import ffa_competition_env
    from phasezoo.pommerman_compat.envs.v0 import Pomme

| module | content |
|---|---|
| ``pommerman`` | ``make``, ``REGISTRY`` |
| ``pommerman.agents`` | ``BaseAgent``, ``RandomAgent``, ``SimpleAgent``, ``DummyAgent``; ``PlayerAgent`` and ``DockerAgent`` can be imported, but making one says why it cannot be |
| ``pommerman.characters`` | ``Bomber``, ``Bomb``, ``Flame`` |
| ``pommerman.configs`` | ``ffa_competition_env`` and the others |
| ``pommerman.constants`` | ``Item``, ``Action``, ``Result``, ``GameType``, sizes and caps |
| ``pommerman.envs`` | ``v0.Pomme``, ``v1.Pomme`` (collapse), ``v2.Pomme`` (radio), by keyword |
| ``pommerman.forward_model`` | ``ForwardModel`` |
| ``pommerman.utility`` | questions about boards, such as ``position_is_passable``; ``make_board`` |

There are no windows, recorders, containers or command line: asking for them is an error that says so.
"""  # noqa: E501

from typing import Any

# Submodules by their own names, as the original's are attributes of ``pommerman``.
from phasezoo.pommerman_compat import (
    agents as agents,
    characters as characters,
    configs as configs,
    constants as constants,
    envs as envs,
    forward_model as forward_model,
    utility as utility,
)
from phasezoo.pommerman_compat.env import REGISTRY, make
from phasezoo.pommerman_compat.modules import ABSENT, absent, install, uninstall

__all__ = [
    "REGISTRY",
    "install",
    "make",
    "uninstall",
]


def __getattr__(name: str) -> Any:
    if name in ABSENT["pommerman"]:
        raise absent("pommerman", name)  # noqa: EM101 - no message but a module
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
