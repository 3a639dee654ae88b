"""Files that are whole or absent, and what a full disk is called."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from phasezoo.errors import RunDirectoryError

__all__ = ["PARTIAL", "append_line", "describe_disk_errors", "how_to_continue", "write_whole"]

PARTIAL = ".partial"
"""Ending of a file that is being written; a kill may leave one behind."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_REFUSED = frozenset({errno.EROFS, errno.EACCES, errno.EPERM, errno.ENAMETOOLONG})


@contextlib.contextmanager
def describe_disk_errors(path: Path, *, every: bool = False) -> Iterator[None]:
    """Turn what the operating system says about a full or read-only disk into a typed error.

    Args:
        path: The run's directory, for the message.
        every: Whether every refusal of the system lies in the place; otherwise only those that
            can lie nowhere else.

    Raises:
        RunDirectoryError: The disk is full, over quota or read-only; nothing finished is lost.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            message = (
                f"{path}: the disk is full ({error.strerror}); what was finished is kept, free "
                f"some space, then {how_to_continue(path)}"
            )
        elif every or error.errno in _REFUSED:
            message = f"{path}: cannot be written ({error.strerror}); choose another --out"
        else:
            raise
        raise RunDirectoryError(message) from error


def how_to_continue(path: Path) -> str:
    """How a run of any kind goes on, for the end of a message."""
    return (
        f"learning goes on with the same command, a match, tournament or study with --resume {path}"
    )


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is either whole or as it was, even if the process is killed.

    Raises:
        OSError: The disk is full or the place cannot be written.
    """
    partial = path.with_name(path.name + PARTIAL)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def append_line(path: Path, line: bytes, *, through: bool = True) -> None:
    """Append a line, whole or not at all.

    Args:
        path: The file.
        line: The line, without its end.
        through: Whether it is waited for until the disk has it, so that also a power cut loses
            nothing; a killed process loses nothing either way.

    Raises:
        OSError: The disk is full or the place cannot be written; the file is as it was.
    """
    with path.open("ab") as file:
        before = file.tell()
        try:
            file.write(line + b"\n")
            file.flush()
            if through:
                os.fsync(file.fileno())
        except OSError:
            os.truncate(path, before)  # a full disk may have taken half a line
            raise
