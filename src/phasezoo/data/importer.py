"""PGN files to games stores: what can be read is kept, the rest is counted and named."""

import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import _core
from phasezoo.data.centipawns import values_of_centipawns
from phasezoo.data.columns import Texts
from phasezoo.data.import_target import MonthSplit, check_place, write_stores
from phasezoo.data.pgn_filter import PgnFilter
from phasezoo.data.store import GameStore
from phasezoo.data.store_folder import SUFFIX
from phasezoo.errors import StoreError
from phasezoo.games.options import flag
from phasezoo.runs.whole import recover
from phasezoo.specs import NonNegativeInt, check_value

Progress = Callable[[int, int], object]
"""Called with the bytes of text and the games read so far; an exception ends the reading."""

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True)
class SkippedGame:
    """A game that could not be used."""

    path: str
    """Its file."""
    line: int
    """The line of its file's text on which it begins, from 1."""
    reason: str
    """Why, in a few words, such as ``"illegal move"``."""
    message: str
    """Why, in detail."""
    title: str
    """Players, event and date, as far as known."""

    def __str__(self) -> str:
        """One line that names the game."""
        title = f" ({self.title})" if self.title else ""
        return f"{self.path}, line {self.line}{title}: {self.reason}: {self.message}"


@dataclass(frozen=True)
class VariantCount:
    """Games of one variant."""

    games: int
    """Games found."""
    kept: int
    """Games in the store."""
    skipped: Mapping[str, int]
    """Games that were skipped, by reason."""


@dataclass(frozen=True)
class TopPlayers:
    """Where the best players of a game begin."""

    rating: float
    """The least mean rating among them."""
    best: int
    """How many they are."""
    players: int
    """Players with a name and a rating."""


@dataclass(frozen=True)
class ImportReport:
    """Counts of what an import read, and of what it could not read."""

    games: int
    """Games found."""
    kept: int
    """Games in the stores."""
    positions: int
    """Positions in the stores: one before every move."""
    skipped: Mapping[str, int]
    """Games that were skipped, by reason."""
    variants: Mapping[str, VariantCount]
    """The same by game; variants that are not known by what they call themselves, in quotes."""
    named: tuple[SkippedGame, ...]
    """The first skipped games."""
    damaged: tuple[str, ...]
    """Files that end too soon, and where; all before that was read."""
    text_bytes: int
    """Bytes of PGN, after decompression."""
    seconds: float
    """Time spent in reading."""
    top_players: Mapping[str, TopPlayers] = field(default_factory=dict)
    """Where the best players of each game begin, if only theirs were asked for."""
    salvaged: int = 0
    """Games in the stores that end before a fault, because damaged games were to be salvaged."""
    notes: tuple[str, ...] = ()
    """Assumptions, a sentence each: names in Windows-1252, a variant that no tag says."""
    stores: Mapping[str, int] = field(default_factory=dict)
    """Games in each store that was written, by its path."""


def read_pgn(paths: Paths, game: str = "chess", **options: Any) -> tuple[GameStore, ImportReport]:
    """Read the games of one kind in PGN files into a store.

    Args:
        paths: One file or several, read in this order.
        game: The game; those of other variants are skipped.
        **options: Those of :func:`read_games`.
    """
    stores, report = read_games(paths, game, **options)
    return stores[game], report


def read_games(
    paths: Paths,
    game: str | None = None,
    *,
    evals: bool = False,
    max_named: int = 100,
    threads: int | None = None,
    progress: Progress | None = None,
    **filters: Any,
) -> tuple[dict[str, GameStore], ImportReport]:
    """Read PGN files, plain or compressed by gzip, bzip2, xz or zstd, into a store for each game.

    Of zip and tar archives the members whose names end in ``.pgn`` are read. The tag ``Variant``
    says which game it is: chess (no tag, ``Standard``, ``From Position``), ``Chess960``,
    ``Atomic``, ``Crazyhouse``; a game without it whose start only chess960 has is one of chess960,
    and the report says so. Kept are moves, result, players, ratings, date and the
    start position; comments, glyphs and variations are dropped. Moves may be written as people
    write them: ``Nf3``, ``Ng1-f3``, ``g1f3``, ``♘f3``, ``0-0``, ``e8Q``, ``N@f3``, with or without
    signs of check. No move of a game that is kept is left out: a word that can be no move, a null
    move and an unclosed comment or variation refuse the game, or end it if damaged games are to be
    salvaged. The result is what stands after the moves, or the tag if nothing does. A bad game is
    skipped, counted by its variant and reason and named with its line; a file that ends too soon
    gives all games before the damage. Bytes that are not UTF-8 are read as Windows-1252.

    Args:
        paths: One file or several, read in this order.
        game: The only game to read; None for every one that is found.
        evals: Whether what comments say of the position after a move, ``[%eval 0.35]``, is kept as
            the value that the player of the move expects.
        max_named: How many skipped games the report names.
        threads: Threads; default all that this process may use.
        progress: Called with the progress of reading.
        **filters: Which games are kept: :class:`phasezoo.data.pgn_filter.PgnFilter`.

    Raises:
        InvalidConfig: A number is negative, or a month is not written as one.
        InvalidPgn: A file cannot be read at all, or no game in them can be used.
        UnknownGame: PGN of this game is not read.
    """
    files = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    names = [os.fspath(file) for file in files]
    check_value("max_named", NonNegativeInt, max_named)
    wanted = PgnFilter(**filters)
    started = time.perf_counter()
    found, read = _core.read_pgn(
        names,
        game,
        evals=evals,
        max_named=max_named,
        threads=threads,
        progress=progress,
        **wanted.core_options(),
    )
    seconds = time.perf_counter() - started
    files_read = [Path(name).name for name in read["files"]]
    source = {"files": files_read, **wanted.changed()}
    stores = {name: _store(name, of, files_read, source) for name, of in found.items()}
    top = {name: TopPlayers(*of["top"]) for name, of in found.items() if of["top"] is not None}
    return stores, _report(stores, read, seconds, top)


def _store(
    game: str, columns: Mapping[str, Any], files: list[str], source: Mapping[str, Any]
) -> GameStore:
    first = columns["result"].astype(np.float32)
    starts = dict(columns["start_fens"])
    return GameStore(
        game,
        columns["actions"],
        columns["offsets"],
        np.stack([first, 0 - first], axis=1),
        starts=starts,
        players=Texts(columns["players"], tuple(columns["names"])),
        ratings=np.stack([columns["white_elo"], columns["black_elo"]], axis=1),
        dates=np.ascontiguousarray(columns["dates"]).view("S10"),
        sources=Texts(columns["files"], tuple(files)),
        salvaged=columns["salvaged"],
        values=_values(columns, starts) if "evals" in columns else None,
        metadata={"source": dict(source)},
    )


def _values(
    columns: Mapping[str, Any], starts: Mapping[int, str]
) -> npt.NDArray[np.float32] | None:
    """Return the value that comments give each move's player; None if no comment has one."""
    pawns, offsets = columns["evals"], columns["offsets"]
    if np.isnan(pawns).all():
        return None
    begins_black = np.zeros(len(offsets) - 1, dtype=np.bool_)
    begins_black[[game for game, fen in starts.items() if fen.split()[1] == "b"]] = True
    lengths = np.diff(offsets)
    plies = np.arange(len(pawns)) - np.repeat(offsets[:-1], lengths)
    is_black = plies % 2 != np.repeat(begins_black, lengths)
    white = values_of_centipawns(100 * pawns)
    return np.where(is_black, -white, white).astype(np.float32)


def _report(
    stores: Mapping[str, GameStore],
    read: dict[str, Any],
    seconds: float,
    top_players: Mapping[str, TopPlayers],
) -> ImportReport:
    kept = {name: len(store) for name, store in stores.items()}
    names = read["files"]
    return ImportReport(
        games=read["games"],
        kept=sum(kept.values()),
        positions=sum(store.num_positions for store in stores.values()),
        skipped=_most_first(read["skipped"]),
        variants={
            name: VariantCount(games, kept.get(name, 0), _most_first(skipped))
            for name, (games, skipped) in read["variants"].items()
        },
        named=tuple(SkippedGame(names[file], *rest) for file, *rest in read["named"]),
        damaged=tuple(f"{names[file]}: {message}" for file, message in read["damaged"]),
        notes=tuple(_notes(read)),
        text_bytes=read["bytes"],
        seconds=seconds,
        top_players=top_players,
        salvaged=sum(int(store.columns.salvaged.sum()) for store in stores.values()),
    )


def _notes(read: Mapping[str, Any]) -> Iterator[str]:
    """Yield the assumptions that were made, a sentence each."""
    files = read["files"]
    if read["decoded"] is not None:
        games, file, line = read["decoded"]
        yield (
            f"names that are not UTF-8 were read as Windows-1252 (cp1252), in games: {games:,}, "
            f"the first in {files[file]}, line {line}"
        )
    for name, (games, file, line) in read["assumed"].items():
        yield (
            f"games without the tag Variant that start as only {name} does were read as {name}: "
            f"{games:,}, the first in {files[file]}, line {line}"
        )


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def import_pgn(
    paths: Paths,
    target: str | os.PathLike[str],
    game: str | None = None,
    *,
    split: MonthSplit | None = None,
    overwrite: bool = False,
    **options: Any,
) -> ImportReport:
    """Read PGN files and write their games to stores, which appear only once they are whole.

    What an import that was killed left beside the target is put right first, with a warning that
    says what it was.

    The target is the store. If several games are found, or they are split into parts, it is a
    folder of stores: ``target/atomic``, ``target/train``, ``target/atomic/train``.

    Args:
        paths: One file or several, read in this order.
        target: The store to write: a folder, or one file if the name ends in ``.parquet``.
        game: The only game to read; None for every one that is found, or chess if the target is a
            file.
        split: How games are split into parts by their months; None: not at all.
        overwrite: Whether stores that are there may be replaced.
        **options: Those of :func:`read_games`.

    Raises:
        InvalidConfig: An option is wrong, or a month that is named has no games.
        InvalidPgn: A file cannot be read at all, or no game in them can be used.
        StoreError: Something is there or it cannot be written; what was there is left as it was.
    """
    path, overwrite = Path(target), flag("overwrite", overwrite)
    if game is None and path.suffix == SUFFIX:
        game = "chess"
    try:
        for left, place in recover(path.parent, path.name):
            found = f"removed {left.name}, left by an import that was killed"
            if place is not None:
                found = f"{path} is as it was before an import that was killed while replacing it"
            warnings.warn(found, stacklevel=2)
    except OSError as error:
        message = (
            f"{error.filename}: the games of {path}, which cannot be put back ({error.strerror})"
        )
        raise StoreError(message) from error
    check_place(path, overwrite=overwrite, is_folder=split is not None)
    stores, report = read_games(paths, game, **options)
    placed = {
        "/".join(filter(None, (name if len(stores) > 1 else "", part))): games
        for name, store in stores.items()
        for part, games in ({"": store} if split is None else split.parts(store)).items()
    }
    if list(placed) == [""]:
        placed[""].save(path, overwrite=overwrite)
    else:
        write_stores(path, placed, overwrite=overwrite)
    written = {str(path / place): len(games) for place, games in placed.items()}
    return replace(report, stores=written)
