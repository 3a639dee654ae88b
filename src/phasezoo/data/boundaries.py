"""Positions near the plies at which games go from one phase into another."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from phasezoo.data.positions import PositionTable

NEAR = 4
"""Plies to either side of a boundary that belong to it."""

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Near:
    """N positions near a boundary, by game and ply."""

    rows: Indices
    """``int64[N]``: their rows in the table that was asked about."""
    before: Indices
    """``int64[N]``: the phase before the boundary."""
    after: Indices
    """``int64[N]``: the phase after it."""
    boundary: Indices
    """``int64[N]``: which boundary, from 0; in all games."""
    offset: Indices
    """``int64[N]``: plies since the first position after it, from -4 to 3."""

    def __len__(self) -> int:
        """N."""
        return len(self.rows)

    def steps(self) -> tuple[Indices, Indices]:
        """Neighbouring plies of one boundary: places in these arrays, earlier and later ones."""
        follows = (np.diff(self.boundary) == 0) & (np.diff(self.offset) == 1)
        earlier = np.flatnonzero(follows)
        return earlier, earlier + 1


def near_boundaries(games: PositionTable, rows: PositionTable) -> Near:
    """Find the rows that lie near a boundary."""
    order = np.lexsort((games.ply, games.game))
    game, ply, phase = (column[order] for column in (games.game, games.ply, games.phase))
    first = np.flatnonzero((game[1:] == game[:-1]) & (phase[1:] != phase[:-1])) + 1
    # One number for game and ply: plies of other games are farther away than NEAR.
    longest = int(ply.max(initial=0)) + 2 * NEAR + 1
    places = game[first].astype(np.int64) * longest + ply[first]
    asked = rows.game.astype(np.int64) * longest + rows.ply
    if len(places) == 0:
        nothing = np.empty(0, dtype=np.int64)
        return Near(nothing, nothing, nothing, nothing, nothing)
    later = np.searchsorted(places, asked, side="right")
    following, preceding = np.minimum(later, len(places) - 1), np.maximum(later - 1, 0)
    until = np.where(later < len(places), places[following] - asked, longest)
    since = np.where(later > 0, asked - places[preceding] + 1, longest)
    boundary = np.where(since <= until, preceding, following)
    found = np.flatnonzero(np.minimum(since, until) <= NEAR)
    found = found[np.argsort(asked[found], kind="stable")]
    nearest = boundary[found]
    return Near(
        rows=found,
        before=phase[first - 1][nearest].astype(np.int64),
        after=phase[first][nearest].astype(np.int64),
        boundary=nearest,
        offset=asked[found] - places[nearest],
    )
