"""Files that are whole or absent, logs of rows, and the names of disk errors."""

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from phasezoo.errors import PhasezooError, RunDirectoryError
from phasezoo.runs import jsonable
from phasezoo.runs.whole import appearing, write_through

Row = TypeVar("Row")


class RowLog(Generic[Row]):
    """The finished games of a run, read back when it goes on.

    Args:
        path: A new file, or one that an earlier attempt of the same run left.
        kind: What a line holds, a dataclass.
        is_in_order: Whether each line needs those before it, so that the last alone may be removed.

    Raises:
        RunDirectoryError: The file is damaged before its last line, or cannot be written.
    """

    def __init__(self, path: Path, kind: type[Row], *, is_in_order: bool = False) -> None:
        self.path = path
        self._kind = kind
        with describe_disk_errors(path.parent):
            data = path.read_bytes() if path.exists() else b""
            # A kill may have cut the last line short: that game is played again.
            whole = data[: data.rfind(b"\n") + 1]
            if len(whole) < len(data):
                os.truncate(path, len(whole))
        lines = whole.splitlines()
        self.rows: list[Row] = [
            self._read(i, line, may_go=not is_in_order or i == len(lines))
            for i, line in enumerate(lines, start=1)
        ]
        """The finished games, in the order in which they ended."""

    def append(self, row: Row) -> None:
        """Write a finished game through to the disk."""
        line = json.dumps(jsonable.encode(row), separators=(",", ":")).encode()
        with describe_disk_errors(self.path.parent):
            append_line(self.path, line)
        self.rows.append(row)

    def _read(self, number: int, line: bytes, *, may_go: bool) -> Row:
        try:
            return jsonable.decode(self._kind, jsonable.parsed(line))
        except ValueError as error:
            what = f"remove that line, then {how_to_continue(self.path.parent)}"
            if not may_go:
                what = "put the file back as it was, or begin anew in another directory"
            message = f"{self.path}: line {number} is damaged ({error}); {what}"
            raise RunDirectoryError(message) from error


MAKE_ROOM = "free some space or choose another place, then try again"
"""Advice about a disk that refuses, for the end of a message."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_REFUSED = frozenset({errno.EROFS, errno.EACCES, errno.EPERM, errno.ENAMETOOLONG})


def is_full(error: OSError) -> bool:
    """Whether the disk has no room left, or none for this user or file."""
    return error.errno in _FULL


@contextlib.contextmanager
def describe_disk_errors(path: Path, *, every: bool = False) -> Iterator[None]:
    """Turn what the operating system says about a full or read-only disk into a typed error.

    Args:
        path: The run's directory.
        every: Whether every refusal of the system lies in the place; otherwise only those that
            can lie nowhere else, and not those of a file that is elsewhere, as one that a user's
            own gate reads.
    """
    try:
        yield
    except OSError as error:
        if is_full(error):
            message = (
                f"{path}: the disk is full ({error.strerror}); what was finished is kept, free "
                f"some space, then {how_to_continue(path)}"
            )
        elif every or (error.errno in _REFUSED and _is_in(path, error.filename)):
            message = f"{path}: cannot be written ({error.strerror}); choose another --out"
        else:
            raise
        raise RunDirectoryError(message) from error


def _is_in(path: Path, name: object) -> bool:
    """Whether a file that the system refused is in a directory; it is taken to be, if unnamed."""
    return not isinstance(name, str | Path) or Path(name).absolute().is_relative_to(path.absolute())


def how_to_continue(path: Path) -> str:
    """How a run of any kind goes on, for the end of a message."""
    return (
        f"learning goes on with the same command, a match, tournament or study with --resume {path}"
    )


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is either whole or as it was, even if the process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with appearing(path) as file:
        file.write(text.encode(errors="replace"))  # names of files may hold no text


def save_files(
    files: Mapping[Path, str | bytes], kind: type[PhasezooError] = RunDirectoryError
) -> None:
    """Write files that a user asked for, all or none of them.

    Args:
        files: What is to be in each; their folders exist.
        kind: The error that is raised.
    """
    try:
        with contextlib.ExitStack() as stack:
            for path, data in files.items():
                check_replaceable(path, kind)
                if path.is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                file = stack.enter_context(appearing(path))
                file.write(data.encode() if isinstance(data, str) else data)
                write_through(file)  # so that renames alone are left when the first one is made
    except OSError as error:
        named = ", ".join(map(str, files))
        message = f"{named} cannot be written ({error.strerror}); nothing was changed: {MAKE_ROOM}"
        raise kind(message) from error


def check_replaceable(path: Path, kind: type[PhasezooError]) -> None:
    """Refuse to write where a device, a pipe or a socket is, which a file would take the place of.

    Args:
        path: Where a file is to be.
        kind: The error that is raised.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        message = f"{path}: is a device, a pipe or a socket; choose the name of a file"
        raise kind(message)


def check_parent(path: Path, kind: type[PhasezooError]) -> None:
    """Refuse early to write where there is no folder to write in; ``kind`` is raised."""
    if path.parent.is_file():
        message = f"{path}: {path.parent} is a file; choose another place"
        raise kind(message)
    if not path.parent.is_dir():
        message = f"{path}: the folder {path.parent} does not exist; make it first"
        raise kind(message)


def append_line(path: Path, line: bytes, *, through: bool = True) -> None:
    """Append a line, whole or not at all.

    Args:
        path: The file.
        line: The line, without its end.
        through: Whether it is waited for until the disk has it, so that also a power cut loses
            nothing; a killed process loses nothing either way.
    """
    # Without a buffer, which would write the rest of a refused line when the file is closed.
    with path.open("ab", buffering=0) as file:
        before = file.tell()
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[file.write(rest) :]
            if through:
                os.fsync(file.fileno())
        except OSError:
            os.truncate(path, before)  # a full disk may have taken half a line
            raise
