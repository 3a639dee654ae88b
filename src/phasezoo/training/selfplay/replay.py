"""The newest positions of self-play, of which a learner draws."""

import warnings
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from phasezoo import games as known_games
from phasezoo import gating
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.games import Game
from phasezoo.games.options import at_least, one_of
from phasezoo.training.batches import Batch
from phasezoo.training.positions import PositionTable
from phasezoo.training.sampler import Sampler
from phasezoo.training.store import GameStore
from phasezoo.training.store_file import DamagedFile, describe, read_file
from phasezoo.training.store_folder import files_of

__all__ = ["Replay", "ReplayRules", "ReplaySampler"]


@dataclass(frozen=True)
class ReplayRules:
    """How a replay is drawn from; see ``docs/definitions/self_play.md#replay``."""

    capacity: int = 100_000
    """Samples that are kept, the newest (1 or more). A sample is a searched decision."""
    half_life: float | None = None
    """Samples after which one is drawn half as often as the newest (above 0); None: all alike."""
    counts: Literal["sample", "game"] = "sample"
    """Whether samples count alike in the losses, or games do."""
    discount: float = 1.0
    """What a sample counts is multiplied by this for every ply that is left (above 0, to 1)."""
    symmetries: bool | None = None
    """Whether samples are turned by symmetries of the board, drawn anew each time; None: in games
    whose start has them all."""
    value_mix: float = 0.0
    """Share of what searches expected in the values to learn (0 to 1)."""

    def __post_init__(self) -> None:
        at_least("capacity", self.capacity, 1)
        if self.half_life is not None and not 0 < self.half_life < np.inf:
            message = f"half_life={self.half_life!r}: must be above 0, or None"
            raise InvalidConfig(message)
        one_of("counts", self.counts, ("sample", "game"))
        if not 0 < self.discount <= 1:
            message = f"discount={self.discount!r}: must be above 0, and 1 at most"
            raise InvalidConfig(message)
        if not 0 <= self.value_mix <= 1:
            message = f"value_mix={self.value_mix!r}: must be from 0 to 1"
            raise InvalidConfig(message)


class _Part(NamedTuple):
    """Games that were added together."""

    store: GameStore
    table: PositionTable


class Replay:
    """A window over the newest samples of self-play, whose memory does not grow with the run.

    Args:
        game: The game, or its name.
        rules: How it is drawn from.
        gate: Names the phases of samples.
        **changes: Fields of ``rules`` to replace, such as ``capacity=50_000``.

    Raises:
        InvalidConfig: A field is out of range, or does not exist.
        InvalidGate: The gate does not fit the game.
    """

    def __init__(
        self,
        game: str | Game,
        rules: ReplayRules | None = None,
        *,
        gate: Any = "none",
        **changes: Any,
    ) -> None:
        self.game = known_games.make(game)
        try:
            self.rules = replace(ReplayRules() if rules is None else rules, **changes)
        except TypeError as error:
            message = f"{error}; a replay has {', '.join(vars(ReplayRules()))}"
            raise InvalidConfig(message) from error
        self.gate = gating.make(gate, self.game.name)
        self.generated = 0
        """Samples that were ever added."""
        self.skipped: list[str] = []
        """Why files could not be used, each by its name."""
        self._parts: deque[_Part] = deque()

    @classmethod
    def open(
        cls,
        folder: str | Path,
        rules: ReplayRules | None = None,
        *,
        gate: Any = "none",
        **changes: Any,
    ) -> "Replay":
        """The newest games of a store, of which no more files are read than are needed.

        Raises:
            StoreError: There are no games.
        """
        files = files_of(Path(folder))
        if not files:
            message = f"{folder}: no file of games in this folder"
            raise StoreError(message)
        about = next((_described(file) for file in files if _described(file)), None)
        if about is None:
            message = f"{folder}: every file of it is damaged"
            raise StoreError(message)
        replay = cls(about, rules, gate=gate, **changes)
        replay.read(files)
        return replay

    def __len__(self) -> int:
        """Samples that can be drawn."""
        return min(self._held, self.rules.capacity)

    @property
    def _held(self) -> int:
        return sum(len(part.table) for part in self._parts)

    @property
    def num_games(self) -> int:
        """Games that are held in memory."""
        return sum(len(part.store) for part in self._parts)

    def add(self, store: GameStore) -> int:
        """Take in games, the newest so far; how many samples they are.

        Raises:
            StoreError: They are of another game.
        """
        part = self._part(store)
        self.generated += len(part.table)
        self._parts.append(part)
        self._forget()
        return len(part.table)

    def read(self, files: "list[Path]") -> int:
        """Take in files of games, oldest first; those that are not needed are only counted past.

        A file that is cut short is named in a warning and in :attr:`skipped`, and left out.

        Returns:
            Samples that were read.
        """
        parts: list[_Part] = []
        missing = self.rules.capacity
        for file in reversed(files):
            if missing <= 0:
                break
            try:
                _, columns = read_file(file)
            except DamagedFile as error:
                self.skipped.append(str(error))
                warnings.warn(f"{error}. The replay goes on without it", stacklevel=2)
                continue
            parts.append(self._part(GameStore.of(self.game, columns)))
            missing -= len(parts[-1].table)
        before = self.generated
        for part in reversed(parts):
            self.generated += len(part.table)
            self._parts.append(part)
        self._forget()
        return self.generated - before

    def samples(self, phase: int | str | None = None) -> tuple[GameStore, PositionTable]:
        """The games in memory, and the samples that can be drawn, oldest first.

        Args:
            phase: Those of one phase alone, by its index or name.

        Raises:
            StoreError: There are none.
        """
        if not len(self):
            message = "the replay is empty: add games whose decisions were searched"
            raise StoreError(message)
        store = GameStore.merge([part.store for part in self._parts])
        table = _joined(list(self._parts))
        table = table.select(np.arange(len(table) - len(self), len(table)))
        return store, table if phase is None else table.of_phase(phase)

    def sampler(
        self,
        batch_size: int = 64,
        seed: int = 0,
        *,
        planes: str | None = None,
        phase: int | str | None = None,
        weights: npt.ArrayLike | None = None,
        history_dropout: float = 0.0,
        threads: int | None = None,
        packed: bool = False,
    ) -> "ReplaySampler":
        """What draws batches of the samples that there are now.

        Args:
            batch_size: Samples of a batch.
            seed: Fixes what is drawn.
            planes: Input planes; None: the game's default.
            phase: Draws samples of one phase alone.
            weights: What samples of each phase count.
            history_dropout: Share of samples without their last moves.
            threads: Threads that make planes.
            packed: Whether they come packed.

        Raises:
            StoreError: There are no samples.
        """
        store, table = self.samples(phase)
        rules = self.rules
        turned = store.is_symmetric if rules.symmetries is None else rules.symmetries
        return ReplaySampler(
            store,
            table,
            rules,
            planes=planes,
            batch_size=batch_size,
            seed=seed,
            history_dropout=history_dropout,
            symmetries=turned,
            threads=threads,
            value_mix=rules.value_mix if store.has_values else 0.0,
            weights=weights,
            packed=packed,
        )

    def _forget(self) -> None:
        """Drop games of which no sample can be drawn any more."""
        while self._parts and self._held - len(self._parts[0].table) >= self.rules.capacity:
            self._parts.popleft()

    def _part(self, store: GameStore) -> _Part:
        if store.game.name != self.game.name:
            message = f"games of {store.game.name!r} in a replay of {self.game.name!r}"
            raise StoreError(message)
        table = store.positions(self.gate)
        visits = store.columns.visits
        if visits is not None:  # what nobody searched, or cheaply, is no sample
            places = store.offsets[table.game] + table.ply
            width = store.columns.width
            decisions = places if width == 1 else places * width + table.player
            table = table.select(np.diff(visits.offsets)[decisions] > 0)
        return _Part(store, table)


class ReplaySampler(Sampler):
    """Draws samples by their age, and weighs them.

    Args:
        store: The games.
        rows: The samples, oldest first.
        rules: How they are drawn.
        **options: See :class:`Sampler`.
    """

    def __init__(
        self, store: GameStore, rows: PositionTable, rules: ReplayRules, **options: Any
    ) -> None:
        super().__init__(store, rows, **options)
        self._chances: npt.NDArray[np.float64] | None = None
        if rules.half_life is not None:
            ages = np.arange(len(rows) - 1, -1, -1, dtype=np.float64)
            chances = np.cumsum(np.exp2(-ages / rules.half_life))
            self._chances = chances / chances[-1]
        self.row_weights = _row_weights(store, rows, rules)

    def batch_rows(self, index: int) -> npt.NDArray[np.int64]:
        """``int64[B]``: the samples of a batch: all in turn, or drawn anew by their ages."""
        if self._chances is None:
            return super().batch_rows(index)
        drawn = self._stream(_AGES, index).random(self.batch_size)
        rows: npt.NDArray[np.int64] = np.searchsorted(self._chances, drawn, side="right")
        return np.minimum(rows, len(self.rows) - 1)

    def sized(self, index: int, size: int | None) -> Batch:
        """Batch ``index`` with another number of samples, if ``size`` is given."""
        if size is None or size == self.batch_size:
            return self.batch(index)
        parts = [self.batch(index, np.arange(min(size, self.batch_size)))]
        if size > self.batch_size:
            parts.append(self.batch(index + 1, np.arange(size - self.batch_size)))
        return Batch.joined(parts)

    def make(
        self,
        rows: npt.NDArray[np.int64],
        hidden: npt.NDArray[np.bool_] | None = None,
        symmetries: npt.NDArray[np.uint8] | None = None,
    ) -> Batch:
        """The batch of some samples; see :meth:`Sampler.make`."""
        batch = super().make(rows, hidden, symmetries)
        if self.row_weights is None:
            return batch
        return replace(batch, weight=batch.weight * self.row_weights[rows])


_AGES = 4
"""Name of the random stream that draws by age, beside those of :class:`Sampler`."""


def _row_weights(
    store: GameStore, rows: PositionTable, rules: ReplayRules
) -> npt.NDArray[np.float32] | None:
    """``float32[P]`` with mean 1: what each sample counts; None: all alike."""
    if rules.counts == "sample" and rules.discount == 1:
        return None
    weights = np.ones(len(rows))
    if rules.counts == "game":
        weights /= np.bincount(rows.game)[rows.game]
    if rules.discount < 1:
        left = np.diff(store.offsets)[rows.game] - rows.ply
        weights *= rules.discount ** left.astype(np.float64)
    scaled: npt.NDArray[np.float32] = (weights / weights.mean()).astype(np.float32)
    return scaled


def _joined(parts: list[_Part]) -> PositionTable:
    """The samples of all parts, by their games in the merged store."""
    shifts = np.cumsum([0, *(len(part.store) for part in parts)])
    tables = [part.table for part in parts]
    games = [t.game + shift for t, shift in zip(tables, shifts, strict=False)]
    columns = {
        name: np.concatenate([getattr(table, name) for table in tables])
        for name in ("ply", "player", "phase", "key")
    }
    first = tables[0]
    game = np.concatenate(games).astype(np.int32)
    return PositionTable(game, **columns, names=first.names, gate=first.gate)


def _described(file: Path) -> Game | None:
    """The game of a file; None if the file is damaged."""
    try:
        return describe(file).made(file)
    except DamagedFile:
        return None
