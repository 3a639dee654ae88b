"""Training targets from stored games: policies and values."""

from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.data.batches import SparsePolicy
from phasezoo.data.columns import GameColumns
from phasezoo.errors import CorruptRecord
from phasezoo.games.varlen import entries_of, offsets_of

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


def decisions_of(columns: GameColumns, game: Any, ply: Any, player: Any) -> Rows:
    """Return where rows are in the columns that have one entry a decision."""
    if len(game) == 0:
        return np.empty(0, dtype=np.int64)
    if game.min() >= 0 and game.max() < len(columns) and ply.min() >= 0:
        places: Rows = columns.offsets[game] + ply
        if (places < columns.offsets[game + 1]).all():
            return places if columns.width == 1 else places * columns.width + player
    message = "there are no such positions: give rows of this very store's positions()"
    raise CorruptRecord(message)


def policy_of(columns: GameColumns, decisions: Rows) -> SparsePolicy | None:
    """Return the visits of searches as shares; the action played where there was no search.

    None if nothing is known of any search.
    """
    visits = columns.visits
    if visits is None:
        return None
    counts = visits.offsets[decisions + 1] - visits.offsets[decisions]
    offsets = offsets_of(np.maximum(counts, 1))
    actions = np.empty(offsets[-1], dtype=np.int32)
    shares = np.ones(offsets[-1], dtype=np.float32)
    searched = np.flatnonzero(counts)
    if searched.size:
        ends, source = entries_of(visits.offsets, decisions[searched])
        _, target = entries_of(offsets, searched)
        times = visits.counts[source]
        sums = np.add.reduceat(times, ends[:-1], dtype=np.int64)
        actions[target] = visits.actions[source]
        shares[target] = times / np.repeat(sums, counts[searched])
    played = counts == 0
    actions[offsets[:-1][played]] = columns.actions[decisions[played]]
    return SparsePolicy(offsets, actions, shares)


def own_first(returns: Floats, player: npt.NDArray[np.int8]) -> Floats:
    """Return ``float32[B, players]``: each row's player's return, then the others' by index."""
    players = range(returns.shape[1])
    orders = np.array([[own, *(other for other in players if other != own)] for own in players])
    ordered: Floats = np.take_along_axis(returns, orders[player], axis=1)
    return ordered


def mixed(value: Floats, expected: Floats | None, decisions: Rows, share: float) -> Floats:
    """Values with a share of what searches expected, where that is known."""
    if share == 0 or expected is None:
        return value
    found = expected[decisions]
    both = (1 - np.float32(share)) * value + np.float32(share) * found
    return np.where(np.isnan(found), value, both)
