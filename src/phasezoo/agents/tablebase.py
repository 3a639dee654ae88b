"""An agent that plays perfectly, in games whose perfect play is known."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.agents.arguments import seed_of, states_and_players
from phasezoo.agents.base import Session, state_in


class TablebaseAgent:
    """Plays perfectly: the shortest win, the longest resistance, a draw before a loss.

    Actions that are equally good have the same probability. It asks the game
    (:meth:`phasezoo.games.Game.action_scores`), which must know perfect play.

    Args:
        seed: Seeds its calls and batches; sessions have seeds of their own.
    """

    name = "tablebase"

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed_of(seed))

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """A best action in ``info["state"]``.

        Raises:
            InvalidConfig: Perfect play of the state's game is not known.
            InvalidState: ``info`` has no state, or the game is over.
        """
        return _draw(self._rng, state_in(info, "TablebaseAgent"))

    def session(self, seed: int) -> Session:
        """A game that draws from ``seed``."""
        return _TablebaseSession(seed)

    def select_batch(
        self, states: Sequence[Any], players: Sequence[int] | None = None
    ) -> npt.NDArray[np.int64]:
        """``int64[N]``: a best action for each state.

        Raises:
            InvalidConfig: Perfect play of a state's game is not known.
            InvalidState: A game is over.
        """
        listed, _ = states_and_players(states, players)
        return np.array([_draw(self._rng, state) for state in listed], dtype=np.int64)


class _TablebaseSession:
    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed_of(seed))

    def act(self, state: Any, player: int | None = None) -> int:
        return _draw(self._rng, state)


def _draw(rng: np.random.Generator, state: Any) -> int:
    return int(rng.choice(games.game_of(state).best_actions(state)))
