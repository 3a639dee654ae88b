"""Files and folders that are whole or absent, whatever stops the process that writes them."""

import contextlib
import errno
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

PARTIAL = ".partial"
"""Ending of what is still being written; a kill may leave such a file or folder behind."""

_LONG_SECONDS = 3600.0
"""Age at which what is unfinished is left over, where nobody says whether its process runs."""

_LEFT = re.compile(r"\.(?P<name>.+)\.(?P<pid>\d+)\.(?P<kind>partial|old)")


@contextlib.contextmanager
def appearing(path: Path) -> Iterator[BinaryIO]:
    """Give a file that takes its name once the disk has all of it; an error leaves nothing."""
    partial = _beside(path, "partial")
    try:
        with partial.open("wb") as file:
            yield file
            write_through(file)
        partial.replace(path)
        _flush_folder(path.parent)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


@contextlib.contextmanager
def appearing_folder(path: Path) -> Iterator[Path]:
    """Give a folder to write into, which takes the place of ``path`` once it is whole.

    A folder that is there is put aside first and removed last. After a kill between the two
    :func:`recover` puts it back, which is called here for what earlier processes left.

    Raises:
        NotADirectoryError: A file is there.
    """
    path = path.resolve() if path.is_symlink() else path
    partial, old = _beside(path, "partial"), _beside(path, "old")
    recover(path.parent, path.name)
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    try:
        partial.mkdir(parents=True)
        yield partial
        _flush_folder(partial)
        if path.exists():
            path.replace(old)
        partial.replace(path)
        _flush_folder(path.parent)
    finally:
        if old.exists() and not path.exists():
            old.replace(path)
        for left in (partial, old):
            shutil.rmtree(left, ignore_errors=True)


def recover(
    folder: Path, name: str | None = None, *, below: bool = False
) -> list[tuple[Path, Path | None]]:
    """Put back or remove what killed writers left in a folder, and return what it was.

    What was put aside comes back, unless something is in its place; what is unfinished is removed.
    Files of a process that still runs are left alone.

    Args:
        folder: The folder.
        name: What was written; None: anything.
        below: Also look into the folders below it.

    Returns:
        The path of each, and where it was put back; None for what was removed.

    Raises:
        OSError: It cannot be put back; its ``filename`` is where it lies.
    """
    found: list[tuple[Path, Path | None]] = []
    hidden = folder.rglob(".*") if below else folder.glob(".*")
    for left in sorted(hidden, key=lambda path: (-len(path.parts), path)):  # the innermost first
        match = _LEFT.fullmatch(left.name)
        if match is None or match["name"] != (name or match["name"]) or _is_in_use(left, match):
            continue
        place = left.with_name(match["name"])
        if match["kind"] == "old" and not place.exists():
            left.replace(place)
            found.append((left, place))
            continue
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
        found.append((left, None))
    return found


def write(path: Path, data: bytes) -> None:
    """Write a file that nobody looks at yet, and wait until the disk has it."""
    with path.open("wb") as file:
        file.write(data)
        write_through(file)


def write_through(file: BinaryIO) -> None:
    """Wait until the disk has what was written to a file."""
    file.flush()
    os.fsync(file.fileno())


def _beside(path: Path, kind: str) -> Path:
    """Return where this process keeps ``path`` meanwhile; each process has its own place."""
    return path.with_name(f".{path.name}.{os.getpid()}.{kind}")


def _flush_folder(path: Path) -> None:
    """Make a rename last through a power cut; not every file system can."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_in_use(left: Path, match: re.Match[str]) -> bool:
    """Return whether the process that writes this runs still; this one has written nothing yet."""
    pid = int(match["pid"])
    if pid == os.getpid():
        return False
    if os.name != "posix":  # where nobody is asked by a signal of 0: what is old is of nobody
        return time.time() - left.stat().st_mtime < _LONG_SECONDS
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's
        return True
    return True
