"""Folders of saved things: a JSON file says what they hold, with a checksum of every other file."""

import hashlib
import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from phasezoo.errors import CheckpointError, PhasezooError
from phasezoo.runs import jsonable


def digest(data: bytes) -> str:
    """Return the SHA-256 of ``data``, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def read_file(
    path: Path, most: int | None = None, error: type[PhasezooError] = CheckpointError
) -> bytes:
    """Return the bytes of a plain file; a pipe or a device might never end.

    Args:
        path: The file.
        most: How many bytes it may have; None: any number.
        error: The error that is raised.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            message = f"{path}: not a file; the folder holds plain files"
            raise error(message)
        if most is not None and found.st_size > most:
            message = f"{path}: has {found.st_size:,} bytes, more than {most:,}"
            raise error(message)
        return path.read_bytes()
    except OSError as refusal:
        message = f"{path}: cannot be read ({refusal.strerror})"
        raise error(message) from refusal


def checked_bytes(
    path: Path,
    checksums: Mapping[str, str],
    record: str,
    error: type[PhasezooError] = CheckpointError,
) -> bytes:
    """Return the bytes of a file whose checksum is right.

    Args:
        path: The file.
        checksums: SHA-256 in hexadecimal, by file name.
        record: Name of the file that has them.
        error: The error that is raised.
    """
    data = read_file(path, error=error)
    if digest(data) != checksums.get(path.name):
        message = (
            f"{path}: {record} has another checksum than this file of {len(data):,} bytes; "
            "it was cut off, changed, or comes from elsewhere"
        )
        raise error(message)
    return data


def record_bytes(kind: str, version: int, record: Mapping[str, Any]) -> bytes:
    """Return the JSON file of a record."""
    whole = {"format_version": version, "kind": kind, **record}
    return (json.dumps(whole, indent=2, allow_nan=False) + "\n").encode()


def read_record(
    path: Path,
    kind: str,
    version: int,
    what: str,
    error: type[PhasezooError] = CheckpointError,
) -> dict[str, Any]:
    """Return the fields of :func:`record_bytes`.

    Args:
        path: The file.
        kind: Its kind; another one is refused.
        version: The newest format that is read; the oldest is 1.
        what: What it is a record of, such as ``"a network"``.
        error: The error that is raised.
    """
    try:
        record = jsonable.parsed(read_file(path, error=error))
    except ValueError as refusal:
        message = f"{path}: not readable ({refusal}); the file was changed or cut off"
        raise error(message) from refusal
    if not isinstance(record, dict) or record.pop("kind", None) != kind:
        message = f"{path}: not the record of {what}"
        raise error(message)
    found = record.pop("format_version", None)
    if isinstance(found, bool) or found not in range(1, version + 1):
        readable = "1" if version == 1 else f"1 to {version}"
        message = (
            f"{path}: format version {found!r}, this version of phasezoo reads {readable}; install "
            "the version that wrote it, or train anew"
        )
        raise error(message)
    return record
