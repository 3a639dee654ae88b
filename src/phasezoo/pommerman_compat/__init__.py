"""A stand-in for ``pommerman``, enough for agents and training scripts written for it.

Such agents begin with ``from pommerman import agents, constants, utility``. If the original is
not installed, :func:`install` makes this work in one process; importing phasezoo never does::

    from phasezoo import pommerman_compat
    from phasezoo.agents import LegacyPommermanAgent

    pommerman_compat.install()
    from my_old_code import MyAgent

    agent = LegacyPommermanAgent(MyAgent)

Scripts that train or play find ``pommerman.make(id, agents)`` and
:class:`~phasezoo.pommerman_compat.env.PommermanGame`, the original's environment over our
simulator.

| module | content |
|---|---|
| ``pommerman`` | ``make``, ``REGISTRY`` |
| ``pommerman.constants`` | ``Item``, ``Action``, ``Result``, ``GameType``, sizes and caps |
| ``pommerman.characters`` | ``Bomber`` |
| ``pommerman.agents`` | ``BaseAgent``, ``RandomAgent``, ``SimpleAgent``, ``DummyAgent`` |
| ``pommerman.utility`` | questions about boards, such as ``position_is_passable`` |

There is no forward model and nothing to configure: asking for them is an error that says so.
"""

from phasezoo.pommerman_compat.modules import install, uninstall

__all__ = ["install", "uninstall"]
