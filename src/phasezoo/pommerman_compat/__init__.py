"""A stand-in for the ``pommerman`` package, enough for agents that were written for it.

Such agents begin with ``from pommerman import agents, constants, utility``. If the original is
not installed, :func:`install` makes this work in one process; importing phasezoo never does::

    from phasezoo import pommerman_compat
    from phasezoo.agents import LegacyPommermanAgent

    pommerman_compat.install()
    from my_old_code import MyAgent

    agent = LegacyPommermanAgent(MyAgent)

| module | content |
|---|---|
| ``pommerman.constants`` | ``Item``, ``Action``, ``Result``, ``GameType``, sizes and caps |
| ``pommerman.characters`` | ``Bomber`` |
| ``pommerman.agents`` | ``BaseAgent``, ``RandomAgent``, ``SimpleAgent``, ``DummyAgent`` |
| ``pommerman.utility`` | questions about boards, such as ``position_is_passable`` |

There are no environments and no forward model: asking for them is an error that says so.
"""

from phasezoo.pommerman_compat.modules import install, uninstall

__all__ = ["install", "uninstall"]
