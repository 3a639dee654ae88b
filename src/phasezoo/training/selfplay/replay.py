"""The replay: a window of the newest samples of self-play, from which a learner draws."""

import warnings
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from annotated_types import Interval

from phasezoo import games as known_games, gating
from phasezoo.data.batches import Batch, decisions_of
from phasezoo.data.positions import PositionTable
from phasezoo.data.sampler import Sampler
from phasezoo.data.store import GameStore
from phasezoo.data.store_file import DamagedFile, describe, has_counts, read_file
from phasezoo.data.store_folder import files_of
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.games import Game
from phasezoo.games.options import folder_path, instance_of
from phasezoo.specs import PositiveFloat, PositiveInt, Share, changed, check

_AGES = 4
"""Number of the random stream that draws by age, beside those of :class:`Sampler`."""


@dataclass(frozen=True)
class ReplayRules:
    """Settings of drawing from a replay; see ``docs/definitions/self_play.md#replay``."""

    capacity: PositiveInt = 100_000
    """Number of samples, the newest. A sample is a searched decision."""
    half_life: PositiveFloat | None = None
    """Age, in samples, at which one is drawn half as often as the newest; None: all alike."""
    counts: Literal["sample", "game"] = "sample"
    """Unit of equal weight in the losses: the sample or the game."""
    discount: Annotated[float, Interval(gt=0, le=1)] = 1.0
    """Factor of a sample's weight for every ply that is left."""
    symmetries: bool | None = None
    """If set, a symmetry of the board is drawn for a sample each time; None: in games whose start
    has them all."""
    value_mix: Share = 0.0
    """Share of the searches' values in the value targets."""
    value_lambda: Annotated[float, Interval(ge=0, lt=1)] = 0.0
    """Share of the player's later searches in these values, as in TD(lambda); 0: a decision's own
    search alone."""
    surprise: Share = 0.0
    """Share of a game's draws that its samples get by their policy surprise, and not alike (KataGo:
    0.5)."""

    def __post_init__(self) -> None:
        check(self)
        if self.value_lambda and not self.value_mix:
            message = (
                f"value_lambda={self.value_lambda}: with value_mix=0 no search is in the values; "
                "give value_mix, such as 0.5"
            )
            raise InvalidConfig(message)


class ReplaySampler(Sampler):
    """Draws samples by their age and their surprise, and weighs them.

    Args:
        store: The games.
        rows: The samples, oldest first.
        rules: Settings of drawing.
        **options: See :class:`Sampler`.
    """

    def __init__(
        self, store: GameStore, rows: PositionTable, rules: ReplayRules, **options: Any
    ) -> None:
        super().__init__(store, rows, **options)
        self._chances = _chances(store, rows, rules)
        self.row_weights = _row_weights(store, rows, rules)

    def batch_rows(self, index: int) -> npt.NDArray[np.int64]:
        """Return ``int64[B]``: the samples of a batch, all in turn or drawn by their chances."""
        if self._chances is None:
            return super().batch_rows(index)
        drawn = self._stream(_AGES, index).random(self.batch_size)
        rows: npt.NDArray[np.int64] = np.searchsorted(self._chances, drawn, side="right")
        return np.minimum(rows, len(self.rows) - 1)

    def sized(self, index: int, size: int | None) -> Batch:
        """Return batch ``index``, with another number of samples if ``size`` is given."""
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
        """Return the batch of some samples; see :meth:`Sampler.make`."""
        batch = super().make(rows, hidden, symmetries)
        if self.row_weights is None:
            return batch
        return replace(batch, weight=batch.weight * self.row_weights[rows])


def _chances(
    store: GameStore, rows: PositionTable, rules: ReplayRules
) -> npt.NDArray[np.float64] | None:
    """Return ``float64[P]``, rising to 1: a sample's chance and those before it; None: in turn."""
    if rules.half_life is None and not rules.surprise:
        return None
    chances = np.ones(len(rows))
    if rules.half_life is not None:
        ages = np.arange(len(rows) - 1, -1, -1, dtype=np.float64)
        chances = np.exp2(-ages / rules.half_life)
    if rules.surprise:
        chances *= 1 - rules.surprise + rules.surprise * _relative_surprises(store, rows)
    sums = np.cumsum(chances)
    shares: npt.NDArray[np.float64] = sums / sums[-1]
    return shares


def _relative_surprises(store: GameStore, rows: PositionTable) -> npt.NDArray[np.float64]:
    """Return ``float64[P]``: surprises by the mean of their game; 1 where that is not known."""
    relative = np.ones(len(rows))
    if store.columns.surprises is None:
        return relative
    found = store.columns.surprises[decisions_of(store.columns, rows.game, rows.ply, rows.player)]
    known = np.flatnonzero(~np.isnan(found))
    game = rows.game[known]
    means = np.bincount(game, found[known]) / np.maximum(np.bincount(game), 1)
    some = means[game] > 0
    relative[known[some]] = found[known[some]] / means[game[some]]
    return relative


def _with_later_values(store: GameStore, share: float) -> GameStore:
    """Return games whose values have a share of the same player's later ones, and of the return.

    ``G[i] = (1 - share) v[i] + share G[i + 1]`` over a player's decisions in a game, and its return
    after the last (the lambda-return without rewards on the way; Sutton and Barto 2018, chapter
    12). Decisions without a value are passed over.
    """
    columns = store.columns
    if columns.values is None:
        return store
    table = store.positions("none")
    decisions = decisions_of(columns, table.game, table.ply, table.player)
    chain = table.game * columns.returns.shape[1] + table.player
    known = np.flatnonzero(~np.isnan(columns.values[decisions]))
    order = known[np.lexsort((table.ply[known], chain[known]))]
    lengths = np.bincount(chain[order], minlength=columns.returns.size)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(order))  # 1: a player's last
    later = columns.returns.ravel().astype(np.float64)
    values = columns.values.copy()
    by_step = np.argsort(left, kind="stable")
    for step in np.split(by_step, np.cumsum(np.bincount(left)[1:-1])):
        rows = order[step]
        chains, places = chain[rows], decisions[rows]
        later[chains] = (1 - share) * values[places] + share * later[chains]
        values[places] = later[chains]
    return GameStore.of(store.game, replace(columns, values=values).locked(), store.metadata)


def _row_weights(
    store: GameStore, rows: PositionTable, rules: ReplayRules
) -> npt.NDArray[np.float32] | None:
    """Return ``float32[P]`` with mean 1: the weight of each sample; None: all alike."""
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


_TOGETHER = 512
"""Number of games of a part: the oldest part is cut again whenever games are added."""


class _Part(NamedTuple):
    """Games that are dropped together, except the oldest part."""

    store: GameStore
    table: PositionTable


class Replay:
    """A window over the newest samples of self-play, whose memory does not grow with the run.

    Args:
        game: The game, or its name.
        rules: Settings of drawing.
        gate: Gate of the phases of samples.
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
        base = ReplayRules() if rules is None else instance_of("rules", rules, ReplayRules)
        self.rules = changed(base, changes, "a replay")
        self.gate = gating.make(gate, self.game.name)
        self.generated = 0
        """Number of samples that were added so far."""
        self.skipped: list[str] = []
        """Reasons why files could not be used, with their names."""
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
        """Open the newest games of a store; only the files that are needed are read.

        Args:
            folder: The store.
            rules: Settings of drawing.
            gate: Gate of the phases of samples.
            **changes: Fields of ``rules`` to replace.

        Raises:
            StoreError: There are no games.
        """
        files = files_of(folder_path("folder", folder))
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
        """Return the number of samples that can be drawn."""
        return min(self._held, self.rules.capacity)

    @property
    def _held(self) -> int:
        return sum(len(part.table) for part in self._parts)

    @property
    def num_games(self) -> int:
        """Number of games in memory."""
        return sum(len(part.store) for part in self._parts)

    def add(self, store: GameStore) -> int:
        """Add games, the newest so far.

        Args:
            store: The games.

        Returns:
            Number of their samples.

        Raises:
            StoreError: They are of another game.
        """
        return self._add(instance_of("store", store, GameStore))

    def _add(self, store: GameStore, *, searched: bool = False) -> int:
        """Add games; ``searched`` is for parts of a store other parts of which have counts."""
        before = self.generated
        for first in range(0, len(store), _TOGETHER):
            games = np.arange(first, min(first + _TOGETHER, len(store)))
            part = store.subset(games)
            if self.rules.value_lambda:
                part = _with_later_values(part, self.rules.value_lambda)
            self._keep(self._part(part, searched=searched))
        return self.generated - before

    def read(self, files: "list[Path]", *, every: bool = False) -> int:
        """Add files of games, oldest first; older ones than the window needs are not read.

        A file that is cut short is named in a warning and in :attr:`skipped`, and left out.

        Args:
            files: The files.
            every: True to read all of them, so that the answer counts all of their samples.

        Returns:
            Number of samples that were read.
        """
        instance_of("files", files, list)
        stores: list[GameStore] = []
        missing = self.rules.capacity
        searched = any(map(has_counts, files))
        for file in reversed(files):
            if missing <= 0 and not every:
                break
            try:
                _, columns = read_file(file)
            except DamagedFile as error:
                self.skipped.append(str(error))
                warnings.warn(f"{error}. The replay goes on without it", stacklevel=2)
                continue
            stores.append(GameStore.of(self.game, columns))
            missing -= len(self._part(stores[-1], searched=searched).table)
        return sum(self._add(store, searched=searched) for store in reversed(stores))

    def samples(self, phase: int | str | None = None) -> tuple[GameStore, PositionTable]:
        """Return the games in memory, and :meth:`table`.

        Args:
            phase: Samples of one phase alone, by its index or name.

        Raises:
            StoreError: There are no samples.
        """
        table = self.table(phase)
        return GameStore.merge([part.store for part in self._parts]), table

    def table(self, phase: int | str | None = None) -> PositionTable:
        """Return the samples that can be drawn, oldest first, by their games in :meth:`samples`.

        Args:
            phase: Samples of one phase alone, by its index or name.

        Raises:
            StoreError: There are no samples.
        """
        if not len(self):
            message = "the replay is empty: add games whose decisions were searched"
            raise StoreError(message)
        table = _joined(list(self._parts))
        table = table.select(np.arange(len(table) - len(self), len(table)))
        return table if phase is None else table.of_phase(phase)

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
        """Return a sampler of the current samples.

        Args:
            batch_size: Number of samples of a batch.
            seed: Seed of what is drawn.
            planes: Input planes; None: the game's default.
            phase: Draws samples of one phase alone.
            weights: Weight of the samples of each phase.
            history_dropout: Share of samples without their last moves.
            threads: Number of threads that make planes.
            packed: If set, planes come packed.

        Raises:
            StoreError: There are no samples.
        """
        store, table = self.samples(phase)
        rules = self.rules
        symmetries = store.is_symmetric if rules.symmetries is None else rules.symmetries
        return ReplaySampler(
            store,
            table,
            rules,
            planes=planes,
            batch_size=batch_size,
            seed=seed,
            history_dropout=history_dropout,
            symmetries=symmetries,
            threads=threads,
            value_mix=rules.value_mix if store.has_values else 0.0,
            weights=weights,
            packed=packed,
        )

    def _keep(self, part: _Part) -> None:
        """Add games, and drop those without samples in the window."""
        self.generated += len(part.table)
        self._parts.append(part)
        while self._held - len(self._parts[0].table) >= self.rules.capacity:
            self._parts.popleft()
        store, table = self._parts[0]
        surplus = self._held - self.rules.capacity
        if surplus > 0 and table.game[surplus] > 0:
            oldest = int(table.game[surplus])
            self._parts[0] = self._part(store.subset(np.arange(oldest, len(store))))

    def _part(self, store: GameStore, *, searched: bool = False) -> _Part:
        if store.game.name != self.game.name:
            message = f"games of {store.game.name!r} in a replay of {self.game.name!r}"
            raise StoreError(message)
        table = store.positions(self.gate)
        visits = store.columns.visits
        if visits is not None:  # decisions without a search, or with a cheap one, are no samples
            decisions = decisions_of(store.columns, table.game, table.ply, table.player)
            table = table.select(np.diff(visits.offsets)[decisions] > 0)
        elif searched:
            table = table.select(np.zeros(len(table), dtype=bool))
        return _Part(store, table)


def _joined(parts: list[_Part]) -> PositionTable:
    """Return the samples of all parts, by their games in the merged store."""
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
    """Return the game of a file; None if the file is damaged."""
    try:
        return describe(file).made(file)
    except DamagedFile:
        return None
