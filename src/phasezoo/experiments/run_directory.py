"""The directory a run leaves behind: written atomically, owned by one run, resumable.

A file of a run either is whole or is not there: it is written beside its place and then renamed.
A stage is done when its result is there and the journal says so; a run that was stopped, killed or
ran out of disk at any point therefore goes on with the first stage that is not done.
"""

import contextlib
import errno
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Self, TypeVar

from phasezoo.errors import InvalidConfig, RunDirectoryError
from phasezoo.experiments import jsonable

try:
    import fcntl
except ImportError:  # a platform without it: two runs in one directory are then not noticed
    fcntl = None  # type: ignore[assignment]

__all__ = ["FORMAT_VERSION", "RunDirectory", "describe_disk_errors"]

FORMAT_VERSION = 1

_LOCK = "run.lock"
_JOURNAL = "journal.jsonl"
_TEMPORARY = ".partial"

T = TypeVar("T")


@contextlib.contextmanager
def describe_disk_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says about a full or read-only disk into a typed error.

    Raises:
        RunDirectoryError: The disk is full, over quota or read-only; nothing finished is lost.
    """
    full = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
    refused = {errno.EROFS, errno.EACCES, errno.EPERM}
    try:
        yield
    except OSError as error:
        if error.errno in full:
            message = (
                f"{path}: the disk is full ({error.strerror}); what was finished is kept, free "
                f"some space and continue with --resume {path}"
            )
        elif error.errno in refused:
            message = f"{path}: cannot be written ({error.strerror}); choose another --out"
        else:
            raise
        raise RunDirectoryError(message) from error


class RunDirectory:
    """One run's directory, locked for as long as it is open.

    Use :meth:`create` for a new run or the same run again and :meth:`resume` to go on with whatever
    the directory holds; both are context managers.

    Args:
        path: The directory, already checked.
        config: The effective configuration, as JSON.
        lock: The open, locked lock file.
    """

    def __init__(self, path: Path, config: dict[str, Any], lock: IO[str]) -> None:
        self.path = path
        self.config = config
        self._lock = lock

    @classmethod
    def create(cls, path: Path, experiment: str, config: dict[str, Any]) -> Self:
        """Make ``path``, or open it if it holds a run of the very same configuration.

        Raises:
            RunDirectoryError: The directory belongs to another run, to another experiment or to
                something else, is in use, or cannot be written. Nothing in it was changed.
        """
        check_free(path, experiment, config)
        with describe_disk_errors(path):
            path.mkdir(parents=True, exist_ok=True)
            lock = _lock(path)
            run = cls(path, config, lock)
            if not run.has("config.json"):
                record = {
                    "format_version": FORMAT_VERSION,
                    "experiment": experiment,
                    "config": config,
                }
                run.write_json("config.json", record)
        return run

    @classmethod
    def resume(cls, path: Path, experiment: str) -> Self:
        """Open the run in ``path`` whatever its configuration is.

        Raises:
            RunDirectoryError: There is no run of ``experiment`` in ``path``, or it is in use.
        """
        config = read_config(path, experiment)
        if config is None:
            message = (
                f"{path}: no run of {experiment!r} to resume there (no config.json); start one "
                f"with --out {path}"
            )
            raise RunDirectoryError(message)
        with describe_disk_errors(path):
            return cls(path, config, _lock(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def has(self, name: str) -> bool:
        """Whether the file ``name`` is there, whole."""
        return (self.path / name).is_file()

    def write_text(self, name: str, text: str) -> Path:
        """Write a file so that it is either whole or absent, and return its path.

        Raises:
            RunDirectoryError: The disk is full or the directory cannot be written.
        """
        path = self.path / name
        partial = path.with_name(path.name + _TEMPORARY)
        with describe_disk_errors(self.path):
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
        return path

    def write_json(self, name: str, value: Any) -> Path:
        """Write ``value`` (see :func:`phasezoo.experiments.jsonable.encode`) as a JSON file."""
        return self.write_text(name, jsonable.dumps(value))

    def read_json(self, name: str, kind: type[T]) -> T:
        """Read back what :meth:`write_json` wrote.

        Raises:
            RunDirectoryError: The file is missing, or was changed into something else.
        """
        path = self.path / name
        try:
            return jsonable.decode(kind, json.loads(path.read_text(encoding="utf-8")), name)
        except (OSError, UnicodeDecodeError, json.JSONDecodeError, InvalidConfig) as error:
            message = (
                f"{path}: cannot be read back ({error}); delete this file to have the run make it "
                f"again, then continue with --resume {self.path}"
            )
            raise RunDirectoryError(message) from error

    def log(self, stage: str, event: str, **fields: Any) -> None:
        """Append one line to the journal, on disk before this returns."""
        line = json.dumps({"stage": stage, "event": event, "time": time.time()} | fields)
        journal = self.path / _JOURNAL
        with describe_disk_errors(self.path), journal.open("ab") as file:
            # After a kill the last line may be cut short; what follows must not be lost with it.
            cut = file.tell() > 0 and not journal.read_bytes().endswith(b"\n")
            file.write((b"\n" if cut else b"") + line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def events(self) -> list[dict[str, Any]]:
        """Return the journal, without a last line that a killed process left unfinished."""
        try:
            lines = (self.path / _JOURNAL).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        events = []
        for line in lines:
            with contextlib.suppress(json.JSONDecodeError):
                events.append(json.loads(line))
        return events

    def is_done(self, stage: str) -> bool:
        """Whether the journal says that ``stage`` has ended."""
        return any(e["stage"] == stage and e["event"] == "done" for e in self.events())

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Journal the start of a stage, and its end with the seconds it took if it got there."""
        self.log(name, "begin")
        started = time.monotonic()
        with describe_disk_errors(self.path):
            yield
        self.log(name, "done", seconds=round(time.monotonic() - started, 3))

    def seconds(self) -> dict[str, float]:
        """Return the seconds that each finished stage took, its last attempt only."""
        done = (e for e in self.events() if e["event"] == "done")
        return {e["stage"]: float(e["seconds"]) for e in done}


def check_free(path: Path, experiment: str, config: dict[str, Any]) -> None:
    """Refuse a directory that a new run of ``config`` must not write into; change nothing.

    Raises:
        RunDirectoryError: See :meth:`RunDirectory.create`.
    """
    if path.exists() and not path.is_dir():
        message = f"{path}: is a file; --out needs a new or empty directory"
        raise RunDirectoryError(message)
    if not path.exists() or _is_empty(path):
        return
    there = read_config(path, experiment)
    if there is None:
        message = (
            f"{path}: is not empty and holds no run of phasezoo; choose a new or empty directory "
            "for --out (nothing was changed)"
        )
        raise RunDirectoryError(message)
    # Through JSON, because what is there went through JSON too: tuples have become lists.
    wanted = json.loads(jsonable.dumps(config))
    keys = there.keys() | wanted.keys()
    different = sorted(key for key in keys if there.get(key) != wanted.get(key))
    if different:
        shown = ", ".join(
            f"{key} {there.get(key)!r} there, {wanted.get(key)!r} here" for key in different[:3]
        )
        message = (
            f"{path}: holds another run ({shown}); continue that one with --resume {path}, or "
            "choose another --out (nothing was changed)"
        )
        raise RunDirectoryError(message)


def read_config(path: Path, experiment: str) -> dict[str, Any] | None:
    """Return the configuration of the run in ``path``, or None where there is no run.

    Raises:
        RunDirectoryError: There is a ``config.json``, but it is damaged, of another experiment or
            of another format version.
    """
    file = path / "config.json"
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        config = record["config"]
        found = (record["experiment"], record["format_version"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        message = f"{file}: is not the configuration of a run of phasezoo ({error!r})"
        raise RunDirectoryError(message) from error
    if found != (experiment, FORMAT_VERSION) or not isinstance(config, dict):
        message = (
            f"{path}: holds a run of {found[0]!r} in format {found[1]!r}; this command reads "
            f"{experiment!r} in format {FORMAT_VERSION}: choose another directory"
        )
        raise RunDirectoryError(message)
    return config


def _is_empty(path: Path) -> bool:
    # A run that was killed before its configuration was written has left only these.
    return all(p.name == _LOCK or p.name.endswith(_TEMPORARY) for p in path.iterdir())


def _lock(path: Path) -> IO[str]:
    file = (path / _LOCK).open("a", encoding="utf-8")
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            message = f"{path}: another process is working in this directory; wait until it ends"
            raise RunDirectoryError(message) from error
    return file
