"""Games as moves, in columns: loading, saving, splitting and labelling them."""

from collections.abc import Mapping, Sequence
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo import _core, games, gating
from phasezoo.errors import CorruptRecord, InvalidArray, InvalidConfig, StoreError
from phasezoo.training.batches import Batch
from phasezoo.training.positions import PhaseTable, PositionTable
from phasezoo.training.splits import Splits, cuts, split_word
from phasezoo.training.store_file import read_columns, write_columns

__all__ = ["GameStore", "Splits"]

_SAMPLE = "_games.parquet"
_CHUNK = 64
"""Games whose states are kept in memory at once while a Python gate labels them."""


class GameStore:
    """Games of one kind, as moves: 91 million positions are about 200 MB.

    Planes, phases and targets are made of the moves when they are asked for, so that another gate
    or other planes cost nothing. The arrays cannot be written.

    Args:
        variant: The game, such as ``"chess"``.
        moves: ``uint16[T]``, all games' moves one after the other, each
            ``from | to << 6 | promotion << 12`` with a1 = 0 (promotion 1 knight to 4 queen).
        offsets: ``int64[N + 1]``: game ``i`` has the moves ``offsets[i]`` to ``offsets[i + 1]``.
        result: ``int8[N]``: +1 the first player won, 0 drawn, -1 the second won.
        start_fens: Start positions of the games that do not start as usual.
        white_elo: ``int16[N]``, 0 if unknown; default everywhere.
        black_elo: The same for the second player.
        dates: ``bytes10[N]``, ``YYYY.MM.DD`` with ``?``; empty if unknown; default everywhere.
        metadata: What else is known of the games; kept in the file.

    Raises:
        CorruptRecord: The columns do not fit together, a start position is none, or a move
            cannot be one; whether moves are legal is found by :meth:`positions`.
        InvalidArray: A column has another length or kind of numbers.
        UnknownGame: Games of this variant cannot be stored.
    """

    num_symmetries = 1
    has_history = True

    def __init__(
        self,
        variant: str,
        moves: npt.ArrayLike,
        offsets: npt.ArrayLike,
        result: npt.ArrayLike,
        *,
        start_fens: Mapping[int, str] | None = None,
        white_elo: npt.ArrayLike | None = None,
        black_elo: npt.ArrayLike | None = None,
        dates: npt.ArrayLike | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.variant = variant
        self.moves = _column("moves", moves, np.uint16)
        self.offsets = _column("offsets", offsets, np.int64)
        count = max(len(self.offsets) - 1, 0)
        self.result = _column("result", result, np.int8, count)
        self.start_fens = dict(sorted((start_fens or {}).items()))
        unknown = np.zeros(count, dtype=np.int16)
        self.white_elo = _column("white_elo", unknown if white_elo is None else white_elo, np.int16)
        self.black_elo = _column("black_elo", unknown if black_elo is None else black_elo, np.int16)
        self.dates = _column("dates", np.zeros(count, "S10") if dates is None else dates, "S10")
        for name in ("white_elo", "black_elo", "dates"):
            _check_length(name, getattr(self, name), count)
        if self.result.size and (self.result.min() < -1 or self.result.max() > 1):
            message = "result: only +1, 0 and -1 are results of a game"
            raise CorruptRecord(message)
        self.metadata = dict(metadata or {})
        starts = list(self.start_fens.items())
        self.actions = _core.unpack_moves(variant, self.moves, self.offsets, starts)
        self.actions.flags.writeable = False
        self.records = _core.Records(variant, self.actions, self.offsets, starts)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """The games of a Parquet file (:meth:`save`, ``phasezoo data import``).

        Raises:
            MissingDependency: pyarrow is not installed.
            StoreError: The file is missing, truncated, or no games store of this format.
        """
        columns = read_columns(Path(path))
        try:
            return cls(**columns)
        except (CorruptRecord, InvalidArray) as error:
            message = f"{path}: {error}; the file is damaged: make it anew"
            raise StoreError(message) from error

    @classmethod
    def sample(cls, game: str = "chess") -> Self:
        """The sample games inside the package.

        Raises:
            StoreError: The package has no sample games of this game.
        """
        games.make(game)
        folder = resources.files("phasezoo") / "data"
        file = folder / f"{game}{_SAMPLE}"
        with resources.as_file(file) as path:
            if not path.is_file():
                files = [file.name for file in folder.iterdir() if file.name.endswith(_SAMPLE)]
                known = sorted(repr(name.removesuffix(_SAMPLE)) for name in files)
                message = (
                    f"the package holds no sample games of {game!r}; there are some of "
                    f"{', '.join(known)}"
                )
                raise StoreError(message)
            return cls.open(path)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the games to a Parquet file, which appears only once it is whole.

        Args:
            path: The file.
            overwrite: Whether a file that is there may be replaced.

        Raises:
            MissingDependency: pyarrow is not installed.
            StoreError: The file exists, or cannot be written (a full disk, say); what was there
                before is left as it was.
        """
        write_columns(Path(path), self, overwrite=overwrite)

    def __len__(self) -> int:
        """The number of games."""
        return len(self.result)

    @property
    def num_positions(self) -> int:
        """How many positions there are: one before every move."""
        return len(self.moves)

    def __repr__(self) -> str:
        positions = f"{self.num_positions:,} positions"
        return f"<GameStore of {len(self):,} games of {self.variant}, {positions}>"

    def subset(self, game_indices: npt.ArrayLike) -> Self:
        """Some of the games, in the order given.

        Raises:
            CorruptRecord: There is no such game.
        """
        index = np.ascontiguousarray(game_indices, dtype=np.int64)
        _, offsets = self.records.gather(index)
        shift = np.repeat(self.offsets[index] - offsets[:-1], np.diff(offsets))
        moves = self.moves[np.arange(offsets[-1]) + shift]
        starts = {
            row: self.start_fens[game]
            for row, game in enumerate(index.tolist())
            if game in self.start_fens
        }
        return type(self)(
            self.variant,
            moves,
            offsets,
            self.result[index],
            start_fens=starts,
            white_elo=self.white_elo[index],
            black_elo=self.black_elo[index],
            dates=self.dates[index],
            metadata=self.metadata,
        )

    def split(self, seed: int, fractions: Sequence[float] = (0.8, 0.1, 0.1)) -> "Splits":
        """Split by game into train, validation and test.

        Games are ranked by a hash of the seed, their start and their moves, the same on every
        machine; games that are the same always fall into the same part, even if that shifts a
        boundary by a game or two.

        Args:
            seed: Chooses the split.
            fractions: Shares of train, validation and test; they add up to 1.

        Raises:
            InvalidConfig: The fractions are not three shares of a whole.
        """
        wanted = cuts(len(self), fractions)
        hashes = self.records.hashes(split_word(seed))
        order = np.argsort(hashes, kind="stable")
        ranked = hashes[order]
        bounds = [0]
        for cut in wanted:
            bound = max(cut, bounds[-1])
            while 0 < bound < len(self) and ranked[bound] == ranked[bound - 1]:
                bound += 1
            bounds.append(bound)
        bounds.append(len(self))
        parts = [self.subset(np.sort(order[low:high])) for low, high in pairwise(bounds)]
        return Splits(*parts)

    def positions(self, gate: Any = "none", *, threads: int | None = None) -> PositionTable:
        """Every position before a move, with its phase and key; every move is checked.

        A monotone gate is given the phase one ply before in the same game. A gate in Python is
        asked about the positions of some games at the same ply at once.

        Args:
            gate: A gate or its specification.
            threads: Threads; default all that this process may use.

        Raises:
            CorruptRecord: A game cannot be replayed; the message names it.
            InvalidGate: The gate is none, does not fit the game, or answers no phase.
        """
        made = gating.make(gate, self.variant)
        native = made if isinstance(made, _core.Gate) else _core.Gate("none")
        game, ply, player, phase, key = self.records.label(native, threads)
        if made is not native:
            phase = self._label_in_python(made)
        return PositionTable(game, ply, player, phase, key, tuple(made.names), made.spec)

    def _label_in_python(self, gate: Any) -> npt.NDArray[np.int8]:
        phase = np.empty(self.num_positions, dtype=np.int8)
        for first in range(0, len(self), _CHUNK):
            index = range(first, min(first + _CHUNK, len(self)))
            states = {game: self.records.states(game) for game in index}
            for ply in range(max(map(len, states.values()))):
                alive = [game for game in index if len(states[game]) > ply]
                rows = self.offsets[alive] + ply
                previous = None if ply == 0 else phase[rows - 1].astype(np.int64)
                phase[rows] = gate.batch([states[game][ply] for game in alive], None, previous)
        return phase

    def batch(
        self,
        table: PositionTable,
        rows: npt.NDArray[np.int64],
        planes: str,
        *,
        hidden: npt.NDArray[np.bool_] | None = None,
        symmetries: npt.NDArray[np.uint8] | None = None,
        threads: int | None = None,
    ) -> Batch:
        """The batch of some rows of a table of this store, whose moves the table's maker checked.

        Args:
            table: Positions, from :meth:`positions`.
            rows: ``int64[B]``: indices into the table.
            planes: Which input planes.
            hidden: ``bool[B]``: whose last moves are left out of the planes, as if the position had
                been set up from a FEN; repetitions stay counted. None: nobody's.
            symmetries: None: these games have none.
            threads: Threads; default all that this process may use.

        Raises:
            CorruptRecord: A game cannot be replayed.
            InvalidConfig: ``symmetries`` are given.
            InvalidPlaneSpec: The game has no such planes.
        """
        if symmetries is not None:
            message = f"positions of {self.variant} have no symmetries: leave them out"
            raise InvalidConfig(message)
        count = len(rows)
        game, ply = table.game[rows], table.ply[rows]
        shape = games.make(self.variant).plane_shape(planes)
        shown = np.empty((count, *shape), dtype=np.float32)
        action = np.empty(count, dtype=np.int64)
        player = table.player[rows]
        plies_left = np.empty(count, dtype=np.float32)
        self.records.sample(
            game, ply, player, planes, shown, action, plies_left, hidden, threads=threads
        )
        value = self.result[game] * (1 - 2 * player)
        return Batch(
            planes=shown,
            action=action,
            value=value.astype(np.float32),
            wdl=1 - value.astype(np.int64),
            plies_left=plies_left,
            phase=table.phase[rows],
            game=game,
            weight=np.ones(count, dtype=np.float32),
        )

    def phase_table(
        self,
        gate: Any = "none",
        *,
        seed: int = 0,
        fractions: Sequence[float] = (0.8, 0.1, 0.1),
        threads: int | None = None,
    ) -> PhaseTable:
        """Games and positions per phase, of each part of :meth:`split` and of all games."""
        return self.split(seed, fractions).phase_table(gate, threads=threads)


def _column(name: str, values: npt.ArrayLike, dtype: Any, count: int | None = None) -> Any:
    """One column as a contiguous array that cannot be written."""
    array, wanted = np.asarray(values), np.dtype(dtype)
    if array.ndim != 1 or not _fits(array, wanted):
        given = f"{array.dtype}{list(array.shape)}"
        message = f"{name} is {given}; needed are values of {wanted} in one dimension"
        raise InvalidArray(message)
    column = np.ascontiguousarray(array, dtype=wanted).view()
    column.flags.writeable = False
    if count is not None:
        _check_length(name, column, count)
    return column


def _fits(array: npt.NDArray[Any], wanted: np.dtype[Any]) -> bool:
    """Whether every value survives the conversion."""
    if array.size == 0 or array.dtype == wanted:
        return True
    if wanted.kind in "iu" and array.dtype.kind in "iu":
        limits = np.iinfo(wanted)
        return bool(limits.min <= array.min() and array.max() <= limits.max)
    return array.dtype.kind == "S" == wanted.kind and array.dtype.itemsize <= wanted.itemsize


def _check_length(name: str, column: npt.NDArray[Any], count: int) -> None:
    if len(column) != count:
        message = f"{name} has {len(column)} entries; offsets tell of {count} games"
        raise InvalidArray(message)
