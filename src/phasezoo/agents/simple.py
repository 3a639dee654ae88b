"""Agents that draw from actions they need not search for: any legal ones, or perfect ones."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.agents.arguments import seed_of, states_and_players
from phasezoo.agents.base import Session, mask_in, state_in
from phasezoo.errors import InvalidState
from phasezoo.games.queries import to_play_of


class _DrawingAgent(ABC):
    """An agent to which all actions that it considers are alike."""

    name: str

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed_of(seed))

    def session(self, seed: int) -> Session:
        """A game that draws from ``seed``."""
        return _DrawingSession(self, seed)

    def select_batch(
        self, states: Sequence[Any], players: Sequence[int] | None = None
    ) -> npt.NDArray[np.int64]:
        """``int64[N]``: an action for each state.

        Raises:
            InvalidConfig: Actions to draw from are not known in a state's game.
            InvalidState: A game is over.
        """
        pairs = zip(*states_and_players(states, players), strict=True)
        return np.array([self._draw(self._rng, *pair) for pair in pairs], dtype=np.int64)

    @staticmethod
    @abstractmethod
    def _draw(rng: np.random.Generator, state: Any, player: int | None = None) -> int:
        """Draw an action for ``player``, or for the player to move."""


class _DrawingSession:
    def __init__(self, agent: _DrawingAgent, seed: int) -> None:
        self._draw = type(agent)._draw
        self._rng = np.random.default_rng(seed_of(seed))

    def act(self, state: Any, player: int | None = None) -> int:
        return self._draw(self._rng, state, player)


class RandomAgent(_DrawingAgent):
    """Plays every legal action with the same probability.

    Args:
        seed: Seeds its calls; sessions have seeds of their own.
    """

    name = "random"

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> Any:
        """A legal action of ``info["action_mask"]``: an index, or ``int64[K]`` if it has parts."""
        mask = mask_in(observation, info, self.name)
        if "action_parts" in info:  # PettingZoo's infos have one mask of all parts
            mask = tuple(np.split(mask, np.cumsum(info["action_parts"])[:-1]))
        if isinstance(mask, tuple):
            return np.array([self._rng.choice(np.flatnonzero(part)) for part in mask])
        return int(self._rng.choice(np.flatnonzero(mask)))

    @staticmethod
    def _draw(rng: np.random.Generator, state: Any, player: int | None = None) -> int:
        """Draw a legal action."""
        actions = games.legal_actions_of(state, to_play_of(state) if player is None else player)
        if len(actions) == 0:
            message = (
                f"{state!r} has no legal action to draw one from: the game is over, or "
                "legal_actions of a game of one's own is empty before the end"
            )
            raise InvalidState(message)
        return int(rng.choice(actions))


class TablebaseAgent(_DrawingAgent):
    """Plays perfectly: the shortest win, the longest resistance, a draw before a loss.

    Actions that are equally good have the same probability. It asks the game
    (:meth:`phasezoo.games.Game.action_scores`), which must know perfect play.

    Args:
        seed: Seeds its calls and batches; sessions have seeds of their own.
    """

    name = "tablebase"

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """A best action in ``info["state"]``.

        Raises:
            InvalidConfig: Perfect play of the state's game is not known.
            InvalidState: ``info`` has no state, or the game is over.
        """
        return self._draw(self._rng, state_in(info, "TablebaseAgent"))

    @staticmethod
    def _draw(rng: np.random.Generator, state: Any, player: int | None = None) -> int:
        """Draw a best action."""
        return int(rng.choice(games.game_of(state).best_actions(state)))
