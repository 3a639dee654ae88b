"""Stores on disk: a folder of files, or one file; what is damaged is named and the rest is used."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.data.columns import GameColumns
from phasezoo.data.splits import SPLITS
from phasezoo.data.store_file import (
    UNCHANGED,
    DamagedFile,
    Description,
    check_writable,
    read_file,
    write_file,
)
from phasezoo.errors import StoreError
from phasezoo.games import Game
from phasezoo.runs.files import check_parent
from phasezoo.runs.lock import LOCK
from phasezoo.runs.whole import appearing_folder

_ENDING = "_games.parquet"


@contextmanager
def sample_file(game: Game) -> Iterator[Path]:
    """The file with the sample games of ``game``, while the context lasts."""
    folder = resources.files("phasezoo") / "data" / "samples"
    with resources.as_file(folder / f"{game.name}{_ENDING}") as path:
        if game.options or not path.is_file():
            files = [file.name for file in folder.iterdir() if file.name.endswith(_ENDING)]
            known = sorted(repr(name.removesuffix(_ENDING)) for name in files)
            options = f" with {dict(game.options)}" if game.options else ""
            message = (
                f"the package holds no sample games of {game.name!r}{options}; there are some of "
                f"{', '.join(known)}"
            )
            raise StoreError(message)
        yield path


SUFFIX = ".parquet"
"""The end of a file's name; a store of another name is a folder."""

SHARD_GAMES = 100_000
"""Games of a file of a folder that is written at once."""


def files_of(folder: Path) -> list[Path]:
    """Return the files of a folder in their order, without those that a crash left behind."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if not path.name.startswith("."))


def next_file(folder: Path) -> Path:
    """Return the name of the next file of a folder."""
    numbers = [path.stem.rpartition("-")[2] for path in files_of(folder)]
    last = max((int(number) for number in numbers if number.isdecimal()), default=-1)
    return folder / f"games-{last + 1:05}{SUFFIX}"


def store_files(path: Path) -> list[Path]:
    """Return all files of a store: a file, those of a folder, or those of its three parts."""
    if not path.is_dir():
        return [path]
    return files_of(path) or [file for part in _part_files(path) for file in part]


def is_split(folder: Path) -> bool:
    """Return whether a folder holds the three stores train, validation and test."""
    return bool(_part_files(folder))


def _part_files(folder: Path) -> list[list[Path]]:
    """Return the files of train, validation and test; none if one of the parts is missing."""
    parts = [files_of(folder / name) for name in SPLITS]
    return parts if all(parts) else []


@dataclass(frozen=True)
class StoredGames:
    """Contents of a store as they were read."""

    about: Description
    """Metadata of its files."""
    columns: GameColumns
    """The games."""
    damaged: tuple[str, ...]
    """Why some files could not be used."""
    parts: npt.NDArray[np.int8] | None
    """``int8[N]``: which of :data:`phasezoo.data.splits.SPLITS` each game is in, by its place
    there; None if the store is not split."""


def read_store(path: Path) -> StoredGames:
    """Return the games of a store: a file, a folder of files, or a folder with its three parts."""
    if not path.is_dir():
        return StoredGames(*read_file(path), (), None)
    files, parts = files_of(path), _part_files(path)
    if not files and not parts:
        # Two levels, as imports of several games by month make them; below might be a whole disk.
        depths = (f"*/*{SUFFIX}", f"*/*/*{SUFFIX}")
        inside = sorted({str(file.parent) for depth in depths for file in path.glob(depth)})
        hint = (
            f"open one of the stores inside it: {', '.join(inside[:10])}"
            if inside
            else "its report.html shows the match that was played there"
            if (path / "games.jsonl").is_file()
            else "make a store with phasezoo data import or training.StoreWriter"
        )
        message = f"{path}: no file of games (*{SUFFIX}) in this folder; {hint}"
        raise StoreError(message)
    if files and parts:
        message = (
            f"{path}: holds {files[0].name} beside the stores {', '.join(SPLITS)}, so that it is "
            "not clear which games are meant; move one or the other elsewhere"
        )
        raise StoreError(message)
    read: list[tuple[Path, Description, GameColumns]] = []
    sizes: list[int] = []
    damaged: list[str] = []
    for part in [files] if files else parts:
        usable = _usable(part, damaged)
        if not usable:
            message = f"{part[0].parent}: every file of it is damaged: {damaged[-len(part)]}"
            raise StoreError(message)
        read += usable
        sizes.append(sum(len(columns) for _, _, columns in usable))
    for message in damaged:
        warnings.warn(f"{message}. The other files of the store are used", stacklevel=3)
    about = _common(read)
    columns = GameColumns.joined([columns for _, _, columns in read])
    which = None if files else np.repeat(np.arange(len(parts), dtype=np.int8), sizes)
    return StoredGames(about, columns, tuple(damaged), which)


def _usable(files: list[Path], damaged: list[str]) -> list[tuple[Path, Description, GameColumns]]:
    """Return the files that can be read; what is wrong with the others is added to ``damaged``."""
    read = []
    for file in files:
        try:
            read.append((file, *read_file(file)))
        except DamagedFile as error:
            damaged.append(str(error))
    return read


def _common(read: list[tuple[Path, Description, GameColumns]]) -> Description:
    """Return the metadata that all files share."""
    first_path, first, _ = read[0]
    metadata: dict[str, Any] = {}
    for path, about, _ in read:
        if _kind(about) != _kind(first):
            message = (
                f"{path}: holds games of {_shown(about)}, and {first_path.name} beside it of "
                f"{_shown(first)}; keep them in folders of their own"
            )
            raise StoreError(message)
        metadata |= about.metadata
    return replace(first, metadata=metadata)


def same_kind(path: Path, about: Description, game: Game, width: int) -> None:
    """Refuse to put games beside those of another game."""
    own = Description.of(game, GameColumns.none(game.num_players, width), {})
    if _kind(about) != _kind(own):
        message = (
            f"{path}: holds games of {_shown(about)}, and those to be added are of {_shown(own)}: "
            "choose another folder"
        )
        raise StoreError(message)


def _kind(about: Description) -> Description:
    return replace(about, games=0, plies=0, metadata={})


def _shown(about: Description) -> str:
    options = f" {dict(about.options)}" if about.options else ""
    return f"{about.game!r}{options} with actions {about.actions!r}"


def check_target(path: Path, *, overwrite: bool) -> None:
    """Refuse early to write a store where something is, or where nothing can be."""
    if path.suffix == SUFFIX:
        check_writable(path, overwrite=overwrite)
    elif path.is_dir():
        folders = [path, *((path / name for name in SPLITS) if is_split(path) else ())]
        known = {*folders, *(folder / LOCK for folder in folders)}
        known.update(file for folder in folders for file in files_of(folder))
        others = [file.name for folder in folders for file in folder.iterdir() if file not in known]
        if others or not overwrite:
            what = "exists already: choose another name, or allow overwriting (--overwrite)"
            if others:
                what = f"holds {others[0]!r}, which is no file of a store: choose another name"
            message = f"{path} {what}"
            raise StoreError(message)
    elif path.exists():
        message = f"{path} is a file: a store is a folder, or a file whose name ends in {SUFFIX}"
        raise StoreError(message)
    else:
        check_parent(path, StoreError)


def write_store(
    path: Path,
    game: Game,
    columns: GameColumns,
    metadata: Mapping[str, Any],
    *,
    parts: npt.NDArray[np.int8] | None = None,
    overwrite: bool = False,
    shard_games: int = SHARD_GAMES,
) -> None:
    """Write games to a file or a folder of files, which appears only once it is whole.

    Games that are split go to a folder with the stores train, validation and test.
    """
    if parts is not None and path.suffix == SUFFIX:
        message = (
            f"{path} is one file, and these games are split into {', '.join(SPLITS)}: name a "
            f"folder (without {SUFFIX}), or write each part of split() to a file of its own"
        )
        raise StoreError(message)
    check_target(path, overwrite=overwrite)
    if path.suffix == SUFFIX:
        write_file(path, game, columns, metadata, overwrite=overwrite)
        return
    with whole_folder(path) as partial:
        for folder, rows in _places(partial, len(columns), parts):
            folder.mkdir(exist_ok=True)
            for first in range(0, max(len(rows), 1), shard_games):
                some = columns.take(rows[first : first + shard_games])
                write_file(next_file(folder), game, some, metadata)
        check_target(path, overwrite=overwrite)  # another process may have been faster


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Give a folder to write into, which takes the place of ``path`` once it is whole."""
    try:
        with appearing_folder(path) as partial:
            yield partial
    except OSError as error:
        message = f"{path} cannot be written ({error.strerror}); {UNCHANGED}"
        raise StoreError(message) from error


def _places(
    folder: Path, games: int, parts: npt.NDArray[np.int8] | None
) -> list[tuple[Path, npt.NDArray[np.int64]]]:
    """Return which games go to which folder."""
    if parts is None:
        return [(folder, np.arange(games))]
    return [(folder / name, np.flatnonzero(parts == part)) for part, name in enumerate(SPLITS)]
