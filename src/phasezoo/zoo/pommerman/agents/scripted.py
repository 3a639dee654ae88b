"""The scripted agents that come with Pommerman."""

from collections.abc import Mapping
from typing import Any

from phasezoo import _core
from phasezoo.agents.base import Session, state_in
from phasezoo.errors import InvalidConfig


class _PommermanAgent:
    """An agent whose sessions the core plays.

    Args:
        seed: Seeds its calls; sessions have seeds of their own.
        player: Whom its calls move.
    """

    name = ""

    def __init__(self, seed: int = 0, player: int = 0) -> None:
        self.player = player
        self._called = self.session(seed)

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The action for ``info["state"]``.

        Raises:
            InvalidState: ``info`` has no state: environments of games with hidden information put
                none there. Give ``session(seed).act(env.unwrapped.game_state, player)`` instead.
        """
        return int(self._called.act(state_in(info, type(self).__name__), self.player))

    def session(self, seed: int) -> Session:
        """A game that draws from ``seed``."""
        raise NotImplementedError


class SimpleAgent(_PommermanAgent):
    """The agent that the original comes with (``docs/definitions/pommerman.md#simpleagent``).

    The same decisions from the same random numbers: a session with seed n acts as the original's
    agent does after ``random.seed(n)``. It flees from bombs, bombs enemies beside it, walks towards
    enemies within three cells and power-ups within two, bombs wood, and wanders otherwise. It looks
    neither at walls in a bomb's line nor at timers, and often kills itself.

    Args:
        seed: Seeds its calls; sessions have seeds of their own.
        player: Whom its calls move.
    """

    name = "simple"

    def session(self, seed: int) -> Session:
        """A game that draws as the original does after ``random.seed(seed)``."""
        return _Session(_core.PommermanSimple(seed))


class SimpleUnbiasedAgent(_PommermanAgent):
    """The rule of thumb that published searches plan with.

    Its rules are on the page ``docs/definitions/pommerman.md#simpleunbiasedagent``.

    Known are its rules and their order: flee if a bomb in line explodes within nine steps, bomb
    an enemy beside, chase enemies within 14 rows and columns if they can be reached and the next
    cell is safe for three steps, bomb wood, fetch power-ups within five steps, otherwise walk to a
    safe cell, better one that is not among the last four; ties are drawn, so that no player is
    preferred. The rest is our own: a bomb's line goes through walls; one flees to a neighbouring
    cell outside all lines, otherwise to the one that burns last, and looks no farther; who comes to
    stand beside an enemy waits every other time. Four of them play about 170 steps, one game in
    twenty has no winner, and one is as strong as :class:`SimpleAgent`.

    Args:
        seed: Seeds its calls; sessions have seeds of their own.
        player: Whom its calls move.
    """

    name = "simple_unbiased"

    def session(self, seed: int) -> Session:
        """A game that draws from ``seed``."""
        return _Session(_core.PommermanAgent("simple_unbiased", seed))


class _Session:
    """One player's agent in one game."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent

    def act(self, state: Any, player: int | None = None) -> int:
        if not isinstance(state, _core.PommermanState) or player is None:
            message = (
                f"act({type(state).__name__}, player={player}): this agent plays Pommerman, whose "
                "players move at once: give a state of it and a player"
            )
            raise InvalidConfig(message)
        is_alive = state.agents[player][5] if 0 <= player < state.num_players else True
        return int(self._agent.act(state, player)) if is_alive else 0
