"""PGN files to a games store: what can be read is kept, the rest is counted and named."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import _core
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import flag
from phasezoo.training.store import GameStore
from phasezoo.training.store_folder import check_target

__all__ = ["ImportReport", "Progress", "SkippedGame", "import_pgn", "read_pgn"]

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
class ImportReport:
    """What an import read, and what it could not."""

    games: int
    """Games found."""
    kept: int
    """Games in the store."""
    positions: int
    """Positions in the store: one before every move."""
    skipped: Mapping[str, int]
    """Games that were skipped, by reason."""
    named: tuple[SkippedGame, ...]
    """The first skipped games."""
    damaged: tuple[str, ...]
    """Files that end too soon, and where; all before that was read."""
    text_bytes: int
    """Bytes of PGN, after decompression."""
    seconds: float
    """Time spent in reading."""


def read_pgn(
    paths: Paths,
    game: str = "chess",
    *,
    min_plies: int = 0,
    min_rating: int | None = None,
    deduplicate: bool = False,
    max_named: int = 100,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[GameStore, ImportReport]:
    """Read PGN files, plain or compressed by gzip, bzip2 or zstd, into a store.

    Kept are moves, result, ratings, date and the start position; comments, glyphs and variations
    are dropped. Moves may be written as people write them: ``Nf3``, ``Ng1-f3``, ``g1f3``, ``♘f3``,
    ``0-0``, ``e8Q``, with or without signs of check. No move of a game that is kept is left out: a
    word that can be no move, a null move and an unclosed comment or variation refuse the game. The
    result is what stands after the moves, or the tag if nothing does. A bad game is skipped,
    counted by its reason and named with its line; a file that ends too soon gives all games before
    the damage.

    Args:
        paths: One file or several, read in this order.
        game: The game they hold.
        min_plies: Skip games with fewer plies; those without moves are skipped always.
        min_rating: Skip games in which a player has a lower rating, or none.
        deduplicate: Keep only the first of games with the same start and moves.
        max_named: How many skipped games the report names.
        threads: Threads; default all that this process may use.
        progress: Told how far the reading is.

    Raises:
        InvalidConfig: A number is negative.
        InvalidPgn: A file cannot be read at all, or no game in them can be used.
        UnknownGame: PGN of this game is not read.
    """
    files = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    names = [os.fspath(file) for file in files]
    for name, value in (("min_plies", min_plies), ("max_named", max_named)):
        if value < 0:
            message = f"{name}={value}: must be 0 or more"
            raise InvalidConfig(message)
    deduplicate = flag("deduplicate", deduplicate)
    if min_rating is not None and not 0 <= min_rating <= 9_999:
        message = f"min_rating={min_rating}: ratings are from 0 to 9999"
        raise InvalidConfig(message)
    started = time.perf_counter()
    columns, read = _core.read_pgn(
        names,
        game,
        min_plies=min_plies,
        min_rating=min_rating,
        deduplicate=deduplicate,
        max_named=max_named,
        threads=threads,
        progress=progress,
    )
    seconds = time.perf_counter() - started
    options = {"min_plies": min_plies, "min_rating": min_rating, "deduplicate": deduplicate}
    store = GameStore(
        game,
        _core.unpack_moves(game, columns["moves"], columns["offsets"], columns["start_fens"]),
        columns["offsets"],
        np.stack([columns["result"], -columns["result"]], axis=1),
        starts=dict(columns["start_fens"]),
        ratings=np.stack([columns["white_elo"], columns["black_elo"]], axis=1),
        dates=np.ascontiguousarray(columns["dates"]).view("S10"),
        metadata={"source": {"files": [Path(name).name for name in names], **options}},
    )
    return store, _report(names, store, read, seconds)


def _report(
    names: list[str], store: GameStore, read: dict[str, Any], seconds: float
) -> ImportReport:
    return ImportReport(
        games=read["games"],
        kept=len(store),
        positions=store.num_positions,
        skipped=dict(sorted(read["skipped"].items(), key=lambda item: -item[1])),
        named=tuple(SkippedGame(names[file], *rest) for file, *rest in read["named"]),
        damaged=tuple(f"{names[file]}: {message}" for file, message in read["damaged"]),
        text_bytes=read["bytes"],
        seconds=seconds,
    )


def import_pgn(
    paths: Paths,
    target: str | os.PathLike[str],
    game: str = "chess",
    *,
    overwrite: bool = False,
    **options: Any,
) -> ImportReport:
    """Read PGN files and write their games to a store, which appears only once it is whole.

    Args:
        paths: One file or several, read in this order.
        target: The Parquet file to write.
        game: The game they hold.
        overwrite: Whether a file that is there may be replaced.
        **options: Those of :func:`read_pgn`.

    Raises:
        InvalidPgn: A file cannot be read at all, or no game in them can be used.
        StoreError: The file exists or cannot be written; what was there is left as it was.
    """
    path = Path(target)
    check_target(path, overwrite=flag("overwrite", overwrite))
    store, report = read_pgn(paths, game, **options)
    store.save(path, overwrite=overwrite)
    return report
