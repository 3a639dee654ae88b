"""The newest positions of self-play, of which a learner draws."""

import warnings
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from phasezoo import games as known_games
from phasezoo import gating
from phasezoo.data.positions import PositionTable
from phasezoo.data.store import GameStore
from phasezoo.data.store_file import DamagedFile, describe, read_file
from phasezoo.data.store_folder import files_of
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.games import Game
from phasezoo.games.options import folder_path, instance_of
from phasezoo.training.selfplay.replay_sampler import ReplayRules, ReplaySampler

__all__ = ["Replay"]


_TOGETHER = 512
"""Games of a part: the oldest part is cut anew whenever games are added."""


class _Part(NamedTuple):
    """Games that are dropped together, but for the oldest ones."""

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
        base = ReplayRules() if rules is None else instance_of("rules", rules, ReplayRules)
        try:
            self.rules = replace(base, **changes)
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
        instance_of("store", store, GameStore)
        before = self.generated
        for first in range(0, len(store), _TOGETHER):
            games = np.arange(first, min(first + _TOGETHER, len(store)))
            self._keep(self._part(store.subset(games)))
        return self.generated - before

    def read(self, files: "list[Path]") -> int:
        """Take in files of games, oldest first; those that are not needed are only counted past.

        A file that is cut short is named in a warning and in :attr:`skipped`, and left out.

        Returns:
            Samples that were read.
        """
        instance_of("files", files, list)
        stores: list[GameStore] = []
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
            stores.append(GameStore.of(self.game, columns))
            missing -= len(self._part(stores[-1]).table)
        return sum(self.add(store) for store in reversed(stores))

    def samples(self, phase: int | str | None = None) -> tuple[GameStore, PositionTable]:
        """The games in memory, and :meth:`table`.

        Raises:
            StoreError: There are no samples.
        """
        table = self.table(phase)
        return GameStore.merge([part.store for part in self._parts]), table

    def table(self, phase: int | str | None = None) -> PositionTable:
        """The samples that can be drawn, oldest first, by their games in :meth:`samples`.

        Args:
            phase: Those of one phase alone, by its index or name.

        Raises:
            StoreError: There are none.
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

    def _keep(self, part: _Part) -> None:
        """Take in games, and drop those of which no sample can be drawn any more."""
        self.generated += len(part.table)
        self._parts.append(part)
        while self._held - len(self._parts[0].table) >= self.rules.capacity:
            self._parts.popleft()
        store, table = self._parts[0]
        surplus = self._held - self.rules.capacity
        if surplus > 0 and table.game[surplus] > 0:
            oldest = int(table.game[surplus])
            self._parts[0] = self._part(store.subset(np.arange(oldest, len(store))))

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
