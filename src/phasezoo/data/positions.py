"""Tables of positions: where they are, in which phase, and how many of them there are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import _core
from phasezoo._progress import Lines
from phasezoo.errors import InvalidArray, InvalidConfig
from phasezoo.gating.callables import phase_number


@dataclass(frozen=True)
class PositionTable:
    """Positions of a store, each with the phase that a gate gave it.

    A row is the position before the ply ``ply`` of its game, from the view of a player who acts
    there; its action is the one that was played.
    """

    game: npt.NDArray[np.int32]
    """``int32[P]``: index of the game in the store."""
    ply: npt.NDArray[np.int32]
    """``int32[P]``: plies before the position."""
    player: npt.NDArray[np.int8]
    """``int8[P]``: who acts, and sees the position."""
    phase: npt.NDArray[np.int8]
    """``int8[P]``: the phase by the gate."""
    key: npt.NDArray[np.uint64]
    """``uint64[P]``: a key of the position alone, the same on every machine."""
    names: tuple[str, ...] = ("all",)
    """The gate's phases."""
    gate: str = "none"
    """The gate's specification."""

    def __post_init__(self) -> None:
        columns = (self.game, self.ply, self.player, self.phase, self.key)
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            message = f"the columns of a position table have different lengths: {sorted(lengths)}"
            raise InvalidArray(message)

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.game)

    def select(self, rows: npt.NDArray[np.bool_] | npt.NDArray[np.integer]) -> "PositionTable":
        """Some of the positions, by a mask or by indices."""
        return PositionTable(
            self.game[rows],
            self.ply[rows],
            self.player[rows],
            self.phase[rows],
            self.key[rows],
            self.names,
            self.gate,
        )

    def of_phase(self, phase: int | str) -> "PositionTable":
        """Return the positions of one phase, by its index or name.

        Raises:
            InvalidConfig: The gate has no such phase.
        """
        return self.select(self.phase == self.phase_index(phase))

    def divided_by_game(self) -> "PositionTable":
        """Return the same positions, each in a phase that is drawn for its whole game.

        All phases get the same number of games, to one game, whatever the positions are like.
        """
        games = int(self.game.max(initial=-1)) + 1
        part = _core.permuted(games, 0, 0, games) % len(self.names)
        return replace(self, phase=part[self.game].astype(np.int8))

    def phase_index(self, phase: int | str) -> int:
        """Return the index of a phase that is given by index or name.

        Raises:
            InvalidConfig: The gate has no such phase.
        """
        return phase_number(self.names, phase, self.gate)

    def matching(self, other: "PositionTable") -> "PositionTable":
        """Return the positions of another table of the same store, with the phases of this one.

        Args:
            other: The other table, whose positions this one has too.
        """
        own, wanted = (
            (table.game.astype(np.int64) << 40) | (table.ply.astype(np.int64) << 8) | table.player
            for table in (self, other)
        )
        order = np.argsort(own)
        return self.select(order[np.searchsorted(own, wanted, sorter=order)])

    def positions_per_phase(self) -> npt.NDArray[np.int64]:
        """``int64[n]``: positions of each phase."""
        return np.bincount(self.phase, minlength=len(self.names)).astype(np.int64)

    def games_per_phase(self) -> npt.NDArray[np.int64]:
        """``int64[n]``: games in which each phase occurs."""
        pairs = np.unique(self.game.astype(np.int64) * len(self.names) + self.phase)
        return np.bincount(pairs % len(self.names), minlength=len(self.names)).astype(np.int64)

    def num_games(self) -> int:
        """Games that have a position here."""
        return len(np.unique(self.game))

    def num_unique(self) -> int:
        """Different positions, by their keys."""
        return len(np.unique(self.key))


def are_among(keys: npt.NDArray[np.uint64], known: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Return which keys are among others, 100 times as fast as ``np.isin`` with ten million.

    Args:
        keys: ``uint64[N]``.
        known: ``uint64[M]``, rising.
    """
    if not len(known):
        return np.zeros(len(keys), dtype=bool)
    places = np.searchsorted(known, keys)
    places[places == len(known)] = 0
    found: npt.NDArray[np.bool_] = known[places] == keys
    return found


def without_seen(
    test: PositionTable, *train: PositionTable
) -> tuple[PositionTable, npt.NDArray[np.int64]]:
    """Return the test positions that do not occur in train, so that tests see new ones alone.

    Returns:
        The rest of ``test``, and ``int64[n]``: how many were removed from each phase.
    """
    seen = are_among(test.key, np.unique(np.concatenate([table.key for table in train])))
    removed = np.bincount(test.phase[seen], minlength=len(test.names)).astype(np.int64)
    return test.select(~seen), removed


@dataclass(frozen=True)
class PhaseCount:
    """How much of a split is in a phase."""

    split: str
    """``"train"``, ``"validation"``, ``"test"`` or ``"all"``."""
    phase: str
    """The phase's name, or ``"all"``."""
    games: int
    """Games in which the phase occurs."""
    positions: int
    """Positions in the phase."""


@dataclass(frozen=True)
class PhaseTable:
    """Games and positions per phase and split: the dataset table."""

    gate: str
    """The gate's specification."""
    names: tuple[str, ...]
    """The gate's phases."""
    counts: tuple[PhaseCount, ...]
    """Every split with every phase and with ``"all"``; then the same for all splits together."""

    def count(self, split: str, phase: str) -> PhaseCount:
        """Return the numbers of a phase in a split; each may be ``"all"``.

        Raises:
            InvalidConfig: There is no such split or phase.
        """
        for count in self.counts:
            if (count.split, count.phase) == (split, phase):
                return count
        message = f"split {split!r}, phase {phase!r}: splits are {self.splits}, phases {self.names}"
        raise InvalidConfig(message)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits, with ``"all"`` last."""
        return tuple(dict.fromkeys(count.split for count in self.counts))


def count_phases(tables: Mapping[str, PositionTable]) -> PhaseTable:
    """Return the dataset table of splits that do not share games."""
    some = next(iter(tables.values()))
    counts = []
    total = np.zeros((len(some.names) + 1, 2), dtype=np.int64)
    for split, table in tables.items():
        games = [*table.games_per_phase(), table.num_games()]
        positions = [*table.positions_per_phase(), len(table)]
        total += np.array([games, positions]).T
        counts += _rows(split, some.names, games, positions)
    counts += _rows("all", some.names, total[:, 0].tolist(), total[:, 1].tolist())
    return PhaseTable(some.gate, some.names, tuple(counts))


def _rows(
    split: str, names: tuple[str, ...], games: list[int], positions: list[int]
) -> list[PhaseCount]:
    # A gate of one phase calls it "all" itself: the sum would be the same row again.
    phases = names if names == ("all",) else (*names, "all")
    return [
        PhaseCount(split, phase, int(number), int(rows))
        for phase, number, rows in zip(phases, games, positions, strict=False)
    ]


_CHUNK = 64
"""Games whose states are kept in memory at once while they are replayed in Python."""


def chunks(games: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield some games at a time, and write to standard error how far it is, after ten seconds."""
    lines = Lines()
    for first in range(0, len(games), _CHUNK):
        lines.update("Replaying games in Python", first, len(games))
        yield games[first : first + _CHUNK]


def chunk_phases(
    gate: Any,
    states: Mapping[int, Sequence[Any]],
    game: npt.NDArray[np.int32],
    ply: npt.NDArray[np.int32],
    player: npt.NDArray[np.int8],
    width: int,
) -> npt.NDArray[np.int8]:
    """Return the phases of some rows by a gate that sees one ply of all their games at once.

    A monotone gate is given the phase one ply before in the same game, of the same player if all
    move at once.

    Args:
        gate: Has ``batch``.
        states: The states of the rows' games, by game.
        game: ``int32[P]``, ascending.
        ply: ``int32[P]``.
        player: ``int8[P]``.
        width: Actions of a ply.
    """
    phase = np.empty(len(game), dtype=np.int8)
    if len(game) == 0:
        return phase
    chain = game - game[0] if width == 1 else (game - game[0]) * width + player
    before = np.zeros(int(chain.max()) + 1, dtype=np.int64)
    order = np.argsort(ply, kind="stable")
    bounds = np.flatnonzero(np.diff(ply[order], prepend=-1, append=-1))
    for start, end in pairwise(bounds.tolist()):
        now = order[start:end]
        asked = [states[number][ply[now[0]]] for number in game[now].tolist()]
        players = None if width == 1 else player[now].tolist()
        previous = None if ply[now[0]] == 0 else before[chain[now]]
        before[chain[now]] = gate.batch(asked, players, previous)
        phase[now] = before[chain[now]]
    return phase


def phases_in_chunks(
    gate: Any,
    states_of: Callable[[int], Sequence[Any]],
    game: npt.NDArray[np.int32],
    ply: npt.NDArray[np.int32],
    player: npt.NDArray[np.int8],
    width: int,
) -> npt.NDArray[np.int8]:
    """Return the phases of all rows of a store, some games at a time; see :func:`chunk_phases`.

    Args:
        gate: Has ``batch``.
        states_of: Gives the states of a game.
        game: ``int32[P]``, ascending.
        ply: ``int32[P]``.
        player: ``int8[P]``.
        width: Actions of a ply.
    """
    phase = np.empty(len(game), dtype=np.int8)
    for some in chunks(np.unique(game).tolist()):
        states = {number: states_of(number) for number in some}
        rows = slice(*np.searchsorted(game, [some[0], some[-1] + 1]).tolist())
        phase[rows] = chunk_phases(gate, states, game[rows], ply[rows], player[rows], width)
    return phase
