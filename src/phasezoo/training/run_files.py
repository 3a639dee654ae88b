"""The output directory of a training: whose it is, and whether this training may use it."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasezoo.errors import CheckpointError, RunDirectoryError
from phasezoo.inference.storage.files import write_file
from phasezoo.inference.storage.manifest import MANIFEST, Manifest
from phasezoo.runs import describe, held, jsonable
from phasezoo.runs.directory import read_record
from phasezoo.runs.lock import LOCK
from phasezoo.runs.whole import PARTIAL, recover

CONFIG = "config.json"
KIND = "supervised training"

_HASH = "_sha256"
"""Ends the names of entries that are hashes of what a training reads."""


@dataclass(frozen=True)
class RunDetails:
    """Entries of a training's record besides those that its numbers depend on."""

    incidental: Mapping[str, Any]
    """Options that a resumed training may change, by name; no option of the identity's."""
    seeds: Mapping[str, int]
    """Every seed, by what it is for."""
    threads: int
    """CPU threads."""
    devices: Sequence[str] = ()
    """Accelerators."""


@contextlib.contextmanager
def claimed(
    out: Path,
    identity: Mapping[str, Any],
    details: RunDetails,
    *,
    resume: bool,
    kind: str = KIND,
    defaults: Mapping[str, Any] | None = None,
) -> Iterator[None]:
    """Make ``out`` the directory of this training, or find that it is already, and lock it.

    Args:
        out: The directory.
        identity: What the resulting numbers depend on, as JSON; a training of another identity may
            not use the directory.
        details: What else its record says.
        resume: Whether a directory of this very training may be used again.
        kind: What its record calls it; a directory of another kind is refused.
        defaults: What options are if nobody gave them, as JSON: where one of them is missing, in
            ``identity`` or in a record of a version that did not have it, it counts as this.
    """
    known = defaults or {}
    # Before a lock file is made in it.
    _may_use(out, identity, details, resume=resume, kind=kind, defaults=known)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(out, error.strerror) from error
    with held(out):
        # Again: another process may just have begun here, or ended.
        if not _may_use(out, identity, details, resume=resume, kind=kind, defaults=known):
            _begin(out, identity, details, kind)
        recover(out)
        yield


def _begin(out: Path, identity: Mapping[str, Any], details: RunDetails, kind: str) -> None:
    record = describe(
        kind,
        {**identity, **details.incidental},
        seeds=details.seeds,
        threads=details.threads,
        devices=details.devices,
    )
    try:
        write_file(out / CONFIG, jsonable.dumps(record).encode())
    except CheckpointError as error:
        raise _cannot_write(out, error) from error


def _may_use(
    out: Path,
    identity: Mapping[str, Any],
    details: RunDetails,
    *,
    resume: bool,
    kind: str,
    defaults: Mapping[str, Any],
) -> bool:
    """Whether ``out`` is this training's already; False if it is nobody's."""
    if out.exists() and not out.is_dir():
        message = f"{out}: is a file; choose another directory for the training"
        raise RunDirectoryError(message)
    record = read_record(out, kind)
    if record is None:
        others = _others(out)
        if others:
            message = (
                f"{out}: holds other files ({', '.join(others[:3])}{', …' if others[3:] else ''}) "
                f"and no {CONFIG} of a training; choose an empty or new directory"
            )
            raise RunDirectoryError(message)
        return False
    there = {k: v for k, v in record.config.items() if k not in details.incidental}
    check_same(out, there, identity, defaults)
    if not resume:
        message = f"{out}: holds this very training already; resume it, or choose another directory"
        raise RunDirectoryError(message)
    return True


def finished(out: Path) -> Manifest | None:
    """The manifest of the network that the training in ``out`` ended with, if it has ended."""
    if not (out / MANIFEST).is_file():
        return None
    manifest = Manifest.read(out)
    manifest.read_bytes(out)
    return manifest


def _others(out: Path) -> list[str]:
    if not out.is_dir():
        return []
    ours = (PARTIAL, LOCK)  # what a training that was killed at once has left
    return sorted(path.name for path in out.iterdir() if not path.name.endswith(ours))


def _filled(there: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """A record with the options that the version which wrote it did not have."""
    filled = {**defaults, **there}
    for name, default in defaults.items():
        if isinstance(default, Mapping) and isinstance(filled[name], Mapping):
            filled[name] = _filled(filled[name], default)
    return filled


def check_same(
    out: Path, there: Any, identity: Mapping[str, Any], defaults: Mapping[str, Any]
) -> None:
    """Refuse a directory, or a file in it, of another training.

    Args:
        out: The directory or file.
        there: The identity that it has.
        identity: The identity of the training that would use it.
        defaults: As for :func:`claimed`.
    """
    there = jsonable.flat(_filled(there if isinstance(there, Mapping) else {}, defaults))
    given = jsonable.flat(jsonable.plain(_filled(identity, defaults)))
    differing = [key for key in {**there, **given} if there.get(key) != given.get(key)]
    if differing:
        named = [key for key in differing if _HASH not in key][:4]
        shown = ", ".join(f"{k} {given.get(k)!r} (there {there.get(k)!r})" for k in named)
        if not named:  # files of the same name with other contents
            contents = (key.replace(_HASH, "").replace("_", " ") for key in differing[:4])
            shown = f"the contents of its {', '.join(contents)}"
        message = (
            f"{out}: holds another training, which differs in {shown}; nothing was changed. Choose "
            "another directory, or give the same options to continue that one"
        )
        raise RunDirectoryError(message)


def _cannot_write(out: Path, reason: object) -> RunDirectoryError:
    return RunDirectoryError(f"{out}: cannot be written ({reason}); choose another directory")
