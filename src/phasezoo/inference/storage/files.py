"""Files that are whole or absent, whatever stops the process while they are written."""

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from phasezoo.errors import CheckpointError
from phasezoo.runs.files import check_replaceable

PARTIAL = ".partial"
"""Ending of what is still being written; such a file or directory may be deleted at any time."""


def digest(data: bytes) -> str:
    """Return the SHA-256 of ``data``, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def read_file(path: Path, most: int | None = None) -> bytes:
    """Return the bytes of ``path``.

    Args:
        path: The file.
        most: How many bytes it may have; None: any number.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            message = f"{path}: not a file; a network's folder holds plain files"
            raise CheckpointError(message)
        if most is not None and found.st_size > most:
            message = f"{path}: has {found.st_size:,} bytes, more than {most:,}"
            raise CheckpointError(message)
        return path.read_bytes()
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror})"
        raise CheckpointError(message) from error


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """Say in errors of a network which file or folder they are about."""
    try:
        yield
    except CheckpointError as error:
        message = f"{path}: {error}"
        raise CheckpointError(message) from error


def write_file(path: Path, data: bytes) -> None:
    """Write ``data`` beside ``path``, flush it to the disk, and only then put it in place."""
    check_replaceable(path, CheckpointError)
    partial = _partial(path)
    try:
        _write(partial, data)
        partial.replace(path)
        _flush_directory(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise _refused(path, error) from error


def write_directory(path: Path, files: Mapping[str, bytes]) -> None:
    """Write ``files`` into the new directory ``path``, all or none of them.

    A directory that is at ``path`` already is replaced; between taking it away and putting the new
    one in place nothing is there, so a caller that must never be without one uses a new name.
    """
    partial = _partial(path)
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for name, data in files.items():
            _write(partial / name, data)
        _flush_directory(partial)
        shutil.rmtree(path, ignore_errors=True)
        partial.replace(path)
        _flush_directory(path.parent)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise _refused(path, error) from error


def remove_partials(folder: Path) -> None:
    """Remove what a process that was killed had begun to write, wherever it is under a folder."""
    for partial in list(folder.rglob(f"*{PARTIAL}")):
        if partial.is_dir():
            shutil.rmtree(partial, ignore_errors=True)
        else:
            partial.unlink(missing_ok=True)


def _partial(path: Path) -> Path:
    """Return where ``path`` is written first; each process has its own place."""
    return path.with_name(f"{path.name}.{os.getpid()}{PARTIAL}")


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _flush_directory(path: Path) -> None:
    """Make a rename last through a power cut; not every file system can."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(path: Path, error: OSError) -> CheckpointError:
    message = (
        f"{path}: cannot be written ({error.strerror}); what was saved before is kept. Free some "
        "space or choose another directory, then run the same command again to continue"
    )
    return CheckpointError(message)
