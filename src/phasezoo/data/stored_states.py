"""States of stored games of turns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from phasezoo.data.starts import start_state
from phasezoo.data.store import GameStore


def state_at(store: GameStore, game: int, ply: int) -> Any:
    """Return the state of a game before one of its plies, or after its last."""
    state = start_state(store.game, store.starts.get(game, ""))
    begin = int(store.offsets[game])
    for action in np.asarray(store.actions)[begin : begin + ply].reshape(-1):
        state = state.play(int(action))
    return state


def evenly_by_ply(store: GameStore, count: int, seed: int) -> Sequence[Any]:
    """Different states in which a move is played, as many of each ply as of any other.

    Plies with too few of them give what they have.

    Args:
        store: The games.
        count: States, at most.
        seed: Of the draws.
    """
    rows = store.positions()
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows))
    _, first = np.unique(rows.key[order], return_index=True)
    different = rng.permutation(order[first])
    # The n-th state of its ply, for every ply, comes before the next of any.
    plies = rows.ply[different]
    by_ply = np.argsort(plies, kind="stable")
    begins = np.searchsorted(plies[by_ply], plies[by_ply])
    turn = np.empty(len(different), dtype=np.int64)
    turn[by_ply] = np.arange(len(different)) - begins
    chosen = different[np.argsort(turn, kind="stable")][:count]
    return [state_at(store, int(rows.game[row]), int(rows.ply[row])) for row in chosen]
