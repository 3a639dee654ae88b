"""Statistics of a gate over a store: lengths of phases, their order, and results of games."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from phasezoo import gating
from phasezoo.data.positions import PositionTable
from phasezoo.data.store import GameStore
from phasezoo.errors import InvalidConfig, InvalidGate
from phasezoo.specs import check_value

_FIT_POSITIONS = 200_000
"""Positions that thresholds are fitted to: shares are then right to about a thousandth."""

_HIGHEST = 9_999
"""The highest threshold that gates take."""


@dataclass(frozen=True)
class PhaseStudy:
    """The n phases of a gate over all games of a store."""

    gate: str
    """The gate's specification."""
    names: tuple[str, ...]
    """The phases."""
    positions: npt.NDArray[np.int64]
    """``int64[n]``: positions of each phase."""
    games: npt.NDArray[np.int64]
    """``int64[n]``: games in which each phase occurs."""
    num_games: int
    """Games that have a position."""
    plies: npt.NDArray[np.float64]
    """``float64[n, 2]``: mean and standard deviation of the plies of a phase in the games that have
    it; where all move at once, of each player who has it."""
    first: npt.NDArray[np.float64]
    """``float64[n, 2]``: the same of the ply, counted from 0, at which the phase first occurs."""
    transitions: npt.NDArray[np.int64]
    """``int64[n, n]``: positions of the row's phase of which the next is of the column's; of all
    that move at once each player's next."""
    returning: int
    """Games in which a phase comes after a later one."""
    wins: npt.NDArray[np.float64]
    """``float64[n, players]``: the share of the games that have a phase in which each player's
    return is above 0."""
    draws: npt.NDArray[np.float64]
    """``float64[n]``: the share of the games that have a phase in which nobody's is."""

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """``float64[n]``: the share of each phase among all positions."""
        shares: npt.NDArray[np.float64] = self.positions / max(int(self.positions.sum()), 1)
        return shares

    @property
    def next_shares(self) -> npt.NDArray[np.float64]:
        """``float64[n, n]``: the rows of :attr:`transitions` as shares; nan in an empty row."""
        total = self.transitions.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            shares: npt.NDArray[np.float64] = self.transitions / total
        return shares


def study_phases(store: GameStore, table: PositionTable) -> PhaseStudy:
    """Follow the phases of every game of a store."""
    count = len(table.names)
    phase, game = table.phase.astype(np.int64), table.game.astype(np.int64)
    players = store.game.num_players if store.columns.width > 1 else 1
    chain = game * players + (table.player if players > 1 else 0)
    shape = (len(store) * players, count)
    plies = np.bincount(chain * count + phase, minlength=shape[0] * count).reshape(shape)
    first = np.full(shape, np.iinfo(np.int64).max)
    np.minimum.at(first, (chain, phase), table.ply.astype(np.int64))
    order = np.lexsort((table.ply, chain))
    same = chain[order][1:] == chain[order][:-1]
    now, then = phase[order][:-1][same], phase[order][1:][same]
    transitions = np.bincount(now * count + then, minlength=count * count)
    back = game[order][:-1][same][then < now]
    has: npt.NDArray[np.bool_] = (plies > 0).reshape(len(store), players, count).max(axis=1)
    wins, draws = _results(store.returns > 0, has)
    return PhaseStudy(
        gate=table.gate,
        names=table.names,
        positions=table.positions_per_phase(),
        games=has.sum(axis=0).astype(np.int64),
        num_games=table.num_games(),
        plies=_turns(plies, plies > 0),
        first=_turns(first, plies > 0),
        transitions=transitions.reshape(count, count).astype(np.int64),
        returning=len(np.unique(back)),
        wins=wins,
        draws=draws,
    )


def _results(
    won: npt.NDArray[np.bool_], has: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Of the games that have each phase, the shares that each player won, and that nobody did."""
    games, has = has.sum(axis=0), has.T.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return (has @ won) / games[:, None], (has @ ~won.any(axis=1)) / games


def _turns(values: npt.NDArray[np.int64], has: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """``float64[n, 2]``: mean and standard deviation of each column where it counts, else nan."""
    columns = [values[has[:, k], k] for k in range(values.shape[1])]
    nothing = (np.nan, np.nan)
    return np.array([(c.mean(), c.std()) if len(c) else nothing for c in columns])


def fitted_gate(
    store: GameStore, name: str, phases: int, *, seed: int = 0, threads: int | None = None
) -> str:
    """Return a gate whose thresholds divide a store's positions into phases of equal volume.

    Thresholds are whole numbers, so volumes are as equal as these allow. M2CTS §III-C chose move
    counts likewise, of the mean length of a game.

    Args:
        store: The games.
        name: A gate of thresholds without them, such as ``"plies"`` or ``"material"``.
        phases: How many phases (2 or more).
        seed: Chooses the games looked at, if there are many.
        threads: Threads; default all that this process may use.

    Returns:
        The specification, such as ``"plies:27,54"``.
    """
    check_value("phases", Annotated[int, Ge(2)], phases)
    try:
        gating.make(f"{name}:1", store.game.name)
    except InvalidGate as error:
        message = (
            f"{name!r} cannot be fitted to {store.game.name}: name a gate of thresholds without "
            f"them, such as plies ({error})"
        )
        raise InvalidGate(message) from error
    some = _some_games(store, seed)

    @cache
    def later(threshold: int) -> float:
        """Return the share of positions in the second phase of one threshold."""
        table = some.positions(f"{name}:{threshold}", threads=threads)
        return float((table.phase > 0).mean())

    rises = later(_HIGHEST) < later(0)
    highest = 1
    while highest < _HIGHEST and later(highest) != later(_HIGHEST):
        highest = min(2 * highest, _HIGHEST)
    wanted = [1 - k / phases for k in range(1, phases)]
    found = [_nearest(later, share, highest, rises=rises) for share in wanted]
    is_empty = any(later(threshold) in (0, 1) for threshold in found)
    if len(set(found)) < len(found) or is_empty:
        shown = ", ".join([*map(str, found[:9]), *(["…"] if len(found) > 9 else [])])
        message = (
            f"{name} cannot divide these positions into {phases} phases of equal volume: too many "
            f"have the same number (thresholds would be {shown})"
        )
        raise InvalidConfig(message)
    return f"{name}:{','.join(map(str, found))}"


def _nearest(later: Callable[[int], float], share: float, highest: int, *, rises: bool) -> int:
    """Return the threshold at which the share of later positions is nearest to ``share``."""
    low, high = 0, highest
    while low < high:  # the first threshold that is beyond the share, as thresholds go up
        middle = (low + high) // 2
        if (later(middle) <= share) if rises else (later(middle) >= share):
            high = middle
        else:
            low = middle + 1
    return min((max(low - 1, 0), low), key=lambda threshold: abs(later(threshold) - share))


def _some_games(store: GameStore, seed: int) -> GameStore:
    """Games drawn without repetition, enough for their positions to stand for all."""
    if store.num_positions <= _FIT_POSITIONS:
        return store
    order = np.random.default_rng(seed).permutation(len(store))
    plies = np.cumsum(np.diff(store.offsets)[order])
    enough = int(np.searchsorted(plies, _FIT_POSITIONS)) + 1
    return store.subset(np.sort(order[:enough]))
