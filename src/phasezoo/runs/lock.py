"""Keeps a second process away from what one process is writing."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Self

from phasezoo.errors import RunDirectoryError
from phasezoo.runs.files import check_replaceable

try:
    import fcntl
except ImportError:  # a platform without it: two processes at one place are then not noticed
    fcntl = None  # type: ignore[assignment]

LOCK = "run.lock"
"""Name of the lock file of a directory; it stays there, empty, after the run."""


@contextlib.contextmanager
def held(path: Path | str) -> Iterator[None]:
    """Hold the lock of a run's directory, or of a file that a run only appends to.

    The lock goes with the process, so a run that was killed leaves none behind. It is advisory and
    needs a system with ``flock``; elsewhere nothing is locked.

    Args:
        path: An existing directory, which gets a file ``run.lock``; or a file, which is made if it
            does not exist.
    """
    with acquire(Path(path)):
        yield


class LockedFile:
    """A file that no other process writes: a context manager, which locks it until it is left."""

    def __init__(self, path: Path, what: str) -> None:
        self.path = path
        if path.is_dir():
            message = f"{path}: is a directory; {what} a file"
            raise RunDirectoryError(message)
        check_replaceable(path, RunDirectoryError)
        self._locks = contextlib.ExitStack()
        self._locks.enter_context(acquire(path, make_folder=True))

    def close(self) -> None:
        """Let another process have the file."""
        self._locks.close()

    def discard(self) -> None:
        """Remove the file, whose content is of no use."""
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def acquire(path: Path, *, make_folder: bool = False) -> IO[bytes]:
    """Lock ``path`` as :func:`held` does until the file returned is closed."""
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        file = (path / LOCK if path.is_dir() else path).open("ab")
    except OSError as error:
        message = f"{path}: cannot be written ({error.strerror}); choose another place"
        raise RunDirectoryError(message) from error
    if fcntl is not None:
        _lock(file, path)
    return file


def _lock(file: IO[bytes], path: Path) -> None:
    """Lock an open file, or close it and raise."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        what = "directory" if path.is_dir() else "file"
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            message = f"{path}: another process is working in this {what}; wait until it ends"
        else:
            message = (
                f"{path}: this {what} cannot be locked ({error.strerror}); choose a place on "
                "another file system"
            )
        raise RunDirectoryError(message) from error
