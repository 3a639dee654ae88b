"""Agents without search or network."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.agents.arguments import seed_of
from phasezoo.agents.base import Session
from phasezoo.errors import InvalidState

__all__ = ["RandomAgent"]


class RandomAgent:
    """Plays every legal action with the same probability.

    Args:
        seed: Seeds its calls; sessions have seeds of their own.
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed_of(seed))

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> Any:
        """A legal action of ``info["action_mask"]``: an index, or ``int64[K]`` if it has parts."""
        mask = info["action_mask"]
        if isinstance(mask, tuple):
            return np.array([self._rng.choice(np.flatnonzero(part)) for part in mask])
        return int(self._rng.choice(np.flatnonzero(mask)))

    def session(self, seed: int) -> Session:
        """A game that draws from ``seed``."""
        return _RandomSession(seed)

    def select_batch(
        self, states: Sequence[Any], players: Sequence[int] | None = None
    ) -> npt.NDArray[np.int64]:
        """``int64[N]``: a legal action for each state."""
        chosen = [
            _draw(self._rng, state, None if players is None else players[row])
            for row, state in enumerate(states)
        ]
        return np.array(chosen, dtype=np.int64)


class _RandomSession:
    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed_of(seed))

    def act(self, state: Any, player: int | None = None) -> int:
        return _draw(self._rng, state, player)


def _draw(rng: np.random.Generator, state: Any, player: int | None) -> int:
    actions = games.legal_actions_of(state, state.to_play if player is None else player)
    if len(actions) == 0:
        message = (
            f"{state!r} has no legal action to draw one from: the game is over, or legal_actions "
            "of a game of one's own is empty before the end"
        )
        raise InvalidState(message)
    return int(rng.choice(actions))
