"""Agents without search or network."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.agents.arguments import seed_of, states_and_players
from phasezoo.agents.base import Session, mask_in
from phasezoo.errors import InvalidState
from phasezoo.games.queries import to_play_of


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
        mask = mask_in(observation, info, self.name)
        if "action_parts" in info:  # PettingZoo's infos have one mask of all parts
            mask = tuple(np.split(mask, np.cumsum(info["action_parts"])[:-1]))
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
        pairs = zip(*states_and_players(states, players), strict=True)
        return np.array([_draw(self._rng, *pair) for pair in pairs], dtype=np.int64)


class _RandomSession:
    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed_of(seed))

    def act(self, state: Any, player: int | None = None) -> int:
        return _draw(self._rng, state, player)


def _draw(rng: np.random.Generator, state: Any, player: int | None) -> int:
    actions = games.legal_actions_of(state, to_play_of(state) if player is None else player)
    if len(actions) == 0:
        message = (
            f"{state!r} has no legal action to draw one from: the game is over, or legal_actions "
            "of a game of one's own is empty before the end"
        )
        raise InvalidState(message)
    return int(rng.choice(actions))
