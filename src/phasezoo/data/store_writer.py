"""Writes games to a store one by one, or those of a match, as they are played."""

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo.checking import type_name
from phasezoo.data.columns import GameColumns, Start
from phasezoo.data.game_entry import GameEntry, columns_of
from phasezoo.data.match_games import entries_of
from phasezoo.data.replayed import replayed
from phasezoo.data.splits import SPLITS
from phasezoo.data.starts import pickled, start_state, start_text
from phasezoo.data.store import GameStore
from phasezoo.data.store_file import decisions_a_ply, describe, write_file
from phasezoo.data.store_folder import (
    SUFFIX,
    files_of,
    is_split,
    next_file,
    same_kind,
)
from phasezoo.errors import CorruptRecord, StoreError
from phasezoo.games import Game, make
from phasezoo.games.options import at_least, flag, folder_path
from phasezoo.runs.lock import acquire
from phasezoo.runs.whole import recover

SHARD_GAMES = 10_000
"""Games of a file, which are those that a crash loses at most."""


class StoreWriter:
    """Appends games to a folder of files, each of which appears only once it is whole.

    A context manager; leaving it, by an exception too, writes what was finished. A crash loses the
    games of the file that was not written yet, never more: ``shard_games`` at most.

    Args:
        folder: The store.
        game: The game, or its name.
        append: Whether the folder may exist and hold such games already; else it must not exist.
        shard_games: Games of a file (1 or more).
        pickle_starts: Whether starts of a user's own game that cannot be written as text are
            pickled; :meth:`phasezoo.training.GameStore.open` then wants ``allow_pickle=True``.
        check: Whether every game is played through before it is kept; without it, games that cannot
            be are found when the store is labelled.
        metadata: What else is known of the games, as JSON; kept in every file.
        **options: The game's options.

    Raises:
        InvalidConfig: The game has no such option, or a number is out of range.
        RunDirectoryError: Another process writes this store.
        StoreError: The folder exists and may not, is no store, or one of another game.
        UnknownGame: There is no such game.
    """

    def __init__(
        self,
        folder: str | Path,
        game: str | Game,
        *,
        append: bool = False,
        shard_games: int = SHARD_GAMES,
        pickle_starts: bool = False,
        check: bool = True,
        metadata: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.game = make(game, **options)
        self.folder = folder_path("folder", folder)
        self._shard_games = at_least("shard_games", shard_games, 1)
        self._pickles = flag("pickle_starts", pickle_starts)
        self._checks = flag("check", check)
        self._metadata = dict(metadata or {})
        self._width = decisions_a_ply(self.game)
        self._entries: list[GameEntry] = []
        self._written = 0
        self._closed = False
        self._locks = contextlib.ExitStack()
        self._claim(append=flag("append", append))

    def _claim(self, *, append: bool) -> None:
        """Make the folder, or check one that exists."""
        if self.folder.exists() and not append:
            message = (
                f"{self.folder} exists already: choose another name, or add to its games with "
                "append=True"
            )
            raise StoreError(message)
        if is_split(self.folder):
            message = (
                f"{self.folder}: holds the stores {', '.join(SPLITS)}; add games to one of them, "
                f"such as {self.folder / SPLITS[0]}"
            )
            raise StoreError(message)
        if self.folder.is_dir():
            for file in files_of(self.folder):
                same_kind(file, describe(file), self.game, self._width)
        else:
            if self.folder.suffix == SUFFIX:
                message = f"{self.folder}: a writer's store is a folder; leave {SUFFIX} out"
                raise StoreError(message)
            try:
                self.folder.mkdir(parents=True)
            except OSError as error:
                message = f"{self.folder} cannot be made ({error.strerror}); choose another place"
                raise StoreError(message) from error
        self._locks.enter_context(acquire(self.folder))
        recover(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Games added so far by this writer."""
        return self._written + len(self._entries)

    def add(
        self,
        start: Any = None,
        *,
        actions: npt.ArrayLike,
        returns: npt.ArrayLike | None = None,
        visits: Sequence[Any] | None = None,
        values: Sequence[Any] | None = None,
        surprises: Sequence[Any] | None = None,
        phases: Sequence[Any] | None = None,
        players: Sequence[str | None] | None = None,
        ratings: Sequence[int | None] | None = None,
        date: str | None = None,
        source: str | None = None,
        salvaged: bool = False,
    ) -> None:
        """Add a game, which may have been cut or given up before its end.

        Where all move at once, ``actions`` is ``[plies, players]`` and arguments per ply have one
        entry for each player.

        Args:
            start: A state or a text (``docs/definitions/data.md#starts``); None: the usual start.
            actions: What was played, as ``state.play`` takes it; 0 of those who are out.
            returns: What each player got, in [-1, 1]; None: what the game says at its end.
            visits: Per ply how often a search visited each action, ``int[A]`` or a mapping of
                actions to counts; None where nobody searched.
            values: Per ply what a search expected for who acts, in [-1, 1]; None if unknown.
            surprises: Per ply the Kullback-Leibler divergence, in nats, of a search's policy from
                its priors; None if unknown.
            phases: Per ply the phase at the time, 0 to 126; None if unknown.
            players: A name each.
            ratings: A number each.
            date: ``YYYY.MM.DD``, with ``?`` for what is not known.
            source: Where the game comes from.
            salvaged: Whether the end of the game could not be read.

        Raises:
            CorruptRecord: The game cannot be played so, or another player won it.
            InvalidConfig: An argument has another size or range; or ``returns`` are missing, and
                the game is not over.
            StoreError: The start cannot be written as text, or the file cannot be written.
        """
        entry = GameEntry.of(
            self.game,
            self._width,
            start=self._start(start),
            actions=actions,
            returns=returns,
            visits=visits,
            values=values,
            surprises=surprises,
            phases=phases,
            players=players,
            ratings=ratings,
            date=date,
            source=source,
            salvaged=salvaged,
        )
        if self._checks or entry.returns is None:
            begun = start_state(self.game, entry.start) if entry.start else None
            entry = replayed(self.game, entry, self._width, begun)
        self._keep(entry)

    def extend(self, games: Any) -> None:
        """Add the games of a match, of records of a match, or of a store.

        A game of a match starts after its opening, whose moves fill the planes of the last moves
        and are no rows; in a game of one's own, whose states are no text, they are rows.

        Args:
            games: A :class:`phasezoo.arena.Match`, records of one, or a :class:`GameStore`.

        Raises:
            CorruptRecord: A game cannot be played so.
            InvalidConfig: They are something else.
            StoreError: They are of another game; or a file cannot be written.
        """
        if isinstance(games, GameStore):
            self._extend_columns(games)
            return
        for entry in entries_of(self.game, self._width, games):
            self._keep(entry)

    def _extend_columns(self, store: GameStore) -> None:
        kinds = [(game.name, game.options) for game in (store.game, self.game)]
        if kinds[0] != kinds[1]:
            message = (
                f"games of {kinds[0][0]!r} {dict(kinds[0][1])} in a store of {kinds[1][0]!r} "
                f"{dict(kinds[1][1])}: choose a folder of their own"
            )
            raise StoreError(message)
        if not self._pickles and any(isinstance(s, bytes) for s in store.starts.values()):
            message = f"{store!r} has pickled starts: use StoreWriter(…, pickle_starts=True)"
            raise StoreError(message)
        self.flush()
        for first in range(0, len(store), self._shard_games):
            index = np.arange(first, min(first + self._shard_games, len(store)))
            self._write(store.columns.take(index))

    def _keep(self, entry: GameEntry) -> None:
        if self._closed:
            message = f"{self.folder}: the writer is closed; open another with append=True"
            raise StoreError(message)
        self._entries.append(entry)
        if len(self._entries) >= self._shard_games:
            self.flush()

    def flush(self) -> None:
        """Write the games added so far to a file of their own.

        Raises:
            StoreError: It cannot be written; the games are kept for another try.
        """
        if self._entries:
            self._write(columns_of(self.game, self._width, self._entries))
            self._entries = []

    def close(self) -> None:
        """Write what is not written yet. A store without games is a store too."""
        if self._closed:
            return
        try:
            self.flush()
            if not files_of(self.folder):
                self._write(columns_of(self.game, self._width, []))
        finally:
            self._closed = True
            self._locks.close()

    def _write(self, columns: GameColumns) -> None:
        write_file(next_file(self.folder), self.game, columns, self._metadata)
        self._written += len(columns)

    def _start(self, start: Any) -> Start:
        if start is None or isinstance(start, str):
            return start or ""
        if not isinstance(start, self.game.state_type):
            message = f"start: {type_name(start)} is no state of {self.game.name!r}"
            raise CorruptRecord(message)
        text = start_text(self.game, start)
        if text is not None:
            return text
        return pickled(self.game, start, allowed=self._pickles and not self.game.native)
