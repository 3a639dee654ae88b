"""The output directory of a training: whose it is, and whether this training may use it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from phasezoo.errors import CheckpointError, RunDirectoryError
from phasezoo.inference.manifest import MANIFEST, Manifest
from phasezoo.inference.storage import PARTIAL, read_file, write_file

__all__ = ["CONFIG", "claim_directory", "finished"]

CONFIG = "config.json"
FORMAT_VERSION = 1
_KIND = "supervised training"


def claim_directory(
    out: Path, identity: Mapping[str, Any], details: Mapping[str, Any], *, resume: bool
) -> None:
    """Make ``out`` the directory of this training, or find that it is already.

    Args:
        out: The directory.
        identity: What the resulting numbers depend on, as JSON; a training of another identity may
            not use the directory.
        details: What else is worth keeping, such as the device.
        resume: Whether a directory of this very training may be used again.

    Raises:
        RunDirectoryError: The directory holds another training or other files, is not a directory,
            or cannot be written. Nothing in it was changed.
    """
    if out.exists() and not out.is_dir():
        message = f"{out}: is a file; choose another directory for the training"
        raise RunDirectoryError(message)
    there = _read_config(out)
    if there is not None:
        _check_same(out, there, identity)
        if not resume:
            message = f"{out}: holds this very training already; resume it, or choose another out="
            raise RunDirectoryError(message)
        for partial in out.glob(f"*{PARTIAL}"):  # what a killed session was writing
            partial.unlink(missing_ok=True)
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
        record = {
            "format_version": FORMAT_VERSION,
            "kind": _KIND,
            "identity": identity,
            "details": details,
        }
        write_file(out / CONFIG, (json.dumps(record, indent=2) + "\n").encode())
    except (OSError, CheckpointError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        message = f"{out}: cannot be written ({reason}); choose another directory"
        raise RunDirectoryError(message) from error


def finished(out: Path) -> Manifest | None:
    """The manifest of the network that the training in ``out`` ended with, if it has ended.

    Raises:
        CheckpointError: The files were truncated or changed.
    """
    if not (out / MANIFEST).is_file():
        return None
    manifest = Manifest.read(out)
    manifest.read_bytes(out)
    return manifest


def _read_config(out: Path) -> dict[str, Any] | None:
    """The record of the training that ``out`` belongs to; None if it belongs to nobody."""
    path = out / CONFIG
    if not path.is_file():
        others = _others(out)
        if others:
            message = (
                f"{out}: holds other files ({', '.join(others[:3])}{', …' if others[3:] else ''}) "
                f"and no {CONFIG} of a training; choose an empty or new directory"
            )
            raise RunDirectoryError(message)
        return None
    try:
        record = json.loads(read_file(path))
        kind, format_version = record["kind"], record["format_version"]
        identity = dict(record["identity"])
    except (CheckpointError, ValueError, KeyError, TypeError) as error:
        message = f"{path}: not the record of a training ({error}); choose another directory"
        raise RunDirectoryError(message) from error
    if (kind, format_version) != (_KIND, FORMAT_VERSION):
        message = (
            f"{path}: of {kind!r}, format version {format_version!r}; this version of phasezoo "
            f"continues {_KIND!r}, version {FORMAT_VERSION}. Choose another directory"
        )
        raise RunDirectoryError(message)
    return identity


def _others(out: Path) -> list[str]:
    if not out.is_dir():
        return []
    return sorted(path.name for path in out.iterdir() if not path.name.endswith(PARTIAL))


def _check_same(out: Path, there: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
    """Refuse the directory of another training.

    Raises:
        RunDirectoryError: The message names what differs.
    """
    given = json.loads(json.dumps(identity))
    differing = [key for key in {**there, **given} if there.get(key) != given.get(key)]
    if differing:
        shown = ", ".join(f"{k} {given.get(k)!r} (there {there.get(k)!r})" for k in differing[:4])
        message = (
            f"{out}: holds another training, which differs in {shown}; nothing was changed. Choose "
            "another out=, or give the same options to continue that one"
        )
        raise RunDirectoryError(message)
