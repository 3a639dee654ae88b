"""An agent that plays from the table, in games whose perfect play is known."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.agents.base import Session, state_in
from phasezoo.errors import InvalidConfig, InvalidState

__all__ = ["TablebaseAgent"]


class TablebaseAgent:
    """Plays perfectly: the shortest win, the longest resistance, a draw before a loss.

    Moves that are equally good have the same probability. States must have ``best_actions``, which
    those of ``"krk"`` do.

    Args:
        seed: Seeds its calls and batches; sessions have seeds of their own.
    """

    name = "tablebase"

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """A best action in ``info["state"]``.

        Raises:
            InvalidConfig: No table is known for the state's game.
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
            InvalidConfig: No table is known for a state's game.
        """
        return np.array([_draw(self._rng, state) for state in states], dtype=np.int64)


class _TablebaseSession:
    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, state: Any, player: int | None = None) -> int:
        return _draw(self._rng, state)


def _draw(rng: np.random.Generator, state: Any) -> int:
    try:
        best = state.best_actions
    except AttributeError as error:
        game = getattr(state, "game", type(state).__name__)
        message = (
            f"TablebaseAgent: no table of perfect play is known for {game!r}, only for 'krk'; "
            "choose another agent"
        )
        raise InvalidConfig(message) from error
    if len(best) == 0:
        message = "TablebaseAgent was asked for an action in a finished game"
        raise InvalidState(message)
    return int(rng.choice(best))
