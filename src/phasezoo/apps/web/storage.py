"""Folders of runs that pages may look into: what lies in them, and nothing outside them."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from phasezoo.errors import InvalidConfig

SAMPLES = "samples of the package"
"""Name of the folder of games that come with the package."""

DEEPEST = 8
"""Folders below one that was named that are looked into."""

MOST_ITEMS = 500
MOST_ENTRIES = 50_000
"""Things that are listed, and files and folders that are looked at for it."""

REPORT, TRAINING = "report.html", "metrics.csv"

PARQUET, PGN = ".parquet", ".pgn"

RECORDED = re.compile(r"\d{1,6}\.json")
"""States of a game, one a file, as the original of Pommerman records them."""


class Item(NamedTuple):
    """Something that can be opened."""

    path: str
    """Its path below the folder that was named, with slashes."""
    kind: str
    """``"report"``, ``"training"``, ``"store"``, ``"pgn"`` or ``"recording"``."""


class Storage:
    """Looks into folders that were named when the server was started.

    A path of a page is followed name by name, and no name may be a link: nothing outside of the
    folders can be reached, whatever lies in them.

    Args:
        folders: The folders.

    Raises:
        InvalidConfig: One is no folder.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._roots: dict[str, Path] = {}
        for folder in folders:
            if not folder.is_dir():
                message = f"--runs {folder}: no such folder"
                raise InvalidConfig(message)
            name = folder.resolve().name or str(folder)
            while name in self._roots:
                name += "'"
            self._roots[name] = folder.resolve()

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders, links followed."""
        return tuple(self._roots.values())

    def names(self) -> list[str]:
        """Return the names of the folders, the package's own games last."""
        return [*self._roots, SAMPLES]

    def find(self, root: str, path: str) -> Path:
        """Return the file or folder at a path below a folder."""
        found = self._roots.get(root)
        parts = [part for part in path.split("/") if part]
        if found is None or not parts or any(not _is_name(part) for part in parts):
            raise _missing(root, path)
        try:
            for part in parts:
                found = found / part
                if found.is_symlink():
                    raise _missing(root, path)
            if not found.is_dir() and not is_plain_file(found):
                raise _missing(root, path)
        except (OSError, UnicodeEncodeError) as error:  # a name that no system has, or no right
            raise _missing(root, path) from error
        return found

    def items(self, root: str) -> list[Item]:
        """Return the items of a folder, the newest first."""
        if root not in self._roots:
            raise _missing(root, "")
        found = sorted(_items(self._roots[root]), key=lambda each: -each[0])
        return [item for _, item in found[:MOST_ITEMS]]


def _items(root: Path) -> Iterator[tuple[float, Item]]:
    """Everything that can be opened, with its time."""
    looked = 0
    for folder, folders, files in os.walk(root, followlinks=False):
        below = Path(folder).relative_to(root)
        folders[:] = sorted(each for each in folders if not (Path(folder) / each).is_symlink())
        if len(below.parts) >= DEEPEST:
            folders.clear()
        looked += len(files) + len(folders)
        if looked > MOST_ENTRIES:
            return
        named = {each for each in files if is_plain_file(Path(folder) / each)}
        yield from _in_folder(root, below, named)


def _in_folder(root: Path, below: Path, files: set[str]) -> Iterator[tuple[float, Item]]:
    """Yield the items of one folder, with their times."""

    def item(path: Path, kind: str, newest: str) -> tuple[float, Item]:
        return (root / below / newest).stat().st_mtime, Item(path.as_posix(), kind)

    if REPORT in files:
        yield item(below / REPORT, "report", REPORT)
    if TRAINING in files:
        yield item(below / TRAINING, "training", TRAINING)
    stored = sorted(each for each in files if each.endswith(PARQUET))
    if stored and below.parts:
        yield item(below, "store", stored[-1])
    elif stored:
        for each in stored:
            yield item(below / each, "store", each)
    for each in sorted(each for each in files if each.endswith(PGN)):
        yield item(below / each, "pgn", each)
    recorded = sorted(each for each in files if RECORDED.fullmatch(each))
    if recorded and below.parts:
        yield item(below, "recording", recorded[-1])


def is_plain_file(path: Path) -> bool:
    """Whether there is a file that is no link, and no pipe or device, which might never end."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _is_name(part: str) -> bool:
    separators = "\0\\:" if os.name == "nt" else "\0"
    return part not in (".", "..") and not set(part) & set(separators)


def _missing(root: str, path: str) -> InvalidConfig:
    message = f"{root[:80]}/{path[:200]}: there is no such thing in the folders of this server"
    return InvalidConfig(message)
