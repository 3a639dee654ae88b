"""The directory a run leaves behind: written atomically, owned by one run, resumable.

A file of a run either is whole or is not there: it is written beside its place and then renamed.
A stage is done when its result is there and the journal says so; a run that was stopped, killed or
ran out of disk at any point therefore goes on with the first stage that is not done.
"""

import contextlib
import json
import math
import shlex
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Self, TypeVar
from uuid import uuid4

from phasezoo.errors import RunDirectoryError
from phasezoo.runs import jsonable, lock
from phasezoo.runs.files import append_line, describe_disk_errors, write_whole
from phasezoo.runs.record import FORMAT_VERSION, RunRecord, describe
from phasezoo.runs.whole import PARTIAL, recover

_RECORD = "config.json"
_JOURNAL = "journal.jsonl"
_LOST = (
    f"its {_RECORD} is missing, which says what its run was begun with; put that file back, or "
    "choose another --out (nothing was changed)"
)

T = TypeVar("T")


@dataclass(frozen=True)
class Event:
    """A line of the journal."""

    stage: str
    """Name of the stage."""
    event: str
    """``begin`` or ``done``."""
    time: float
    """When, in seconds since 1970."""
    seconds: float = 0.0
    """Seconds that a stage took that is done."""
    sha256: dict[str, str] = field(default_factory=dict)
    """Checksums of the files that it wrote, by their names."""
    run: str | None = None
    """:attr:`RunRecord.id` of the run; None in runs of earlier versions."""


class RunDirectory:
    """One run's directory, locked for as long as it is open.

    Use :meth:`create` for a new run or the same run again and :meth:`resume` to go on with whatever
    the directory holds; both are context managers.

    Args:
        path: The directory, already checked.
        record: What the run was begun with.
        held: The open, locked lock file.
    """

    def __init__(self, path: Path, record: RunRecord, held: IO[bytes]) -> None:
        self.path = path
        self.record = record
        self._held = held
        try:
            self._check_journal()
        except BaseException:
            held.close()
            raise

    @classmethod
    def create(
        cls,
        path: Path,
        kind: str,
        config: Any,
        *,
        threads: int | None = None,
        devices: Sequence[str] = (),
        plugins: Sequence[str] = (),
        incidental: Collection[str] = (),
    ) -> Self:
        """Make ``path``, or open it if it holds a run of the very same configuration.

        Args:
            path: The directory.
            kind: What is run; a directory of another kind is refused.
            config: The effective settings.
            threads: See :func:`phasezoo.runs.describe`.
            devices: See :func:`phasezoo.runs.describe`.
            plugins: See :func:`phasezoo.runs.describe`.
            incidental: Settings that another attempt may have otherwise.

        Raises:
            RunDirectoryError: The directory belongs to another run, to another kind of run or to
                something else, is in use, or cannot be written. Nothing in it was changed.
        """
        check_free(path, kind, config, incidental)
        with describe_disk_errors(path, every=True):
            path.mkdir(parents=True, exist_ok=True)
        held = lock.acquire(path)
        try:
            with describe_disk_errors(path):
                recover(path, below=True)
            record = read_record(path, kind)  # again: another process may just have begun it
            if record is None:
                record = describe(kind, config, threads=threads, devices=devices, plugins=plugins)
                record = replace(record, id=uuid4().hex)
                with describe_disk_errors(path):
                    write_whole(path / _RECORD, jsonable.dumps(record))
            else:
                check_free(path, kind, config, incidental)
        except BaseException:
            held.close()
            raise
        return cls(path, record, held)

    @classmethod
    def resume(cls, path: Path, kind: str) -> Self:
        """Open the run in ``path`` whatever its configuration is.

        Raises:
            RunDirectoryError: There is no run of this kind in ``path``, or it is in use.
        """
        record, held = record_to_resume(path, kind), lock.acquire(path)
        with describe_disk_errors(path):
            recover(path, below=True)
        return cls(path, record, held)

    @property
    def config(self) -> dict[str, Any]:
        """The effective configuration, as JSON."""
        return self.record.config

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def has(self, name: str) -> bool:
        """Whether the file ``name`` is there, whole."""
        return (self.path / name).is_file()

    def write_text(self, name: str, text: str) -> Path:
        """Write a file so that it is either whole or absent, and return its path.

        Raises:
            RunDirectoryError: The disk is full or the directory cannot be written.
        """
        path = self.path / name
        with describe_disk_errors(self.path):
            write_whole(path, text)
        return path

    def write_json(self, name: str, value: Any) -> Path:
        """Write ``value`` (see :func:`phasezoo.runs.jsonable.encode`) as a JSON file."""
        return self.write_text(name, jsonable.dumps(value))

    def read_json(self, name: str, kind: type[T]) -> T:
        """Read back what :meth:`write_json` wrote.

        Raises:
            RunDirectoryError: The file is missing, or is not as this run wrote it.
        """
        path = self.path / name
        try:
            data = path.read_bytes()
            if self._known(name) not in (None, sha256(data).hexdigest()):
                message = "it was changed, or comes from another run"
                raise ValueError(message)  # noqa: TRY301 - one sentence for all that is wrong
            return jsonable.decode(kind, jsonable.parsed(data), name)
        except (OSError, ValueError) as error:
            message = (
                f"{path}: cannot be read back ({error}); delete this file to have the run make it "
                f"again, then continue with --resume {self.path}"
            )
            raise RunDirectoryError(message) from error

    def _check_journal(self) -> None:
        """Refuse the journal of another run.

        Raises:
            RunDirectoryError: It is one.
        """
        if any(event.run not in (None, self.record.id) for event in self.events()):
            message = (
                f"{self.path}: its {_RECORD} and {_JOURNAL} are of two runs; put the right one "
                "back, or choose another --out (nothing was changed)"
            )
            raise RunDirectoryError(message)

    def log(self, stage: str, event: str, **fields: Any) -> None:
        """Append one line to the journal, on disk before this returns."""
        own = {} if self.record.id is None else {"run": self.record.id}
        known = {"stage": stage, "event": event, "time": time.time(), **own}
        line = json.dumps(known | fields).encode()
        journal = self.path / _JOURNAL
        with describe_disk_errors(self.path):
            # After a kill the last line may be cut short; what follows must not be lost with it.
            cut = journal.exists() and not journal.read_bytes().endswith(b"\n")
            append_line(journal, (b"\n" if cut else b"") + line)

    def events(self) -> list[Event]:
        """Return the journal, without lines that are cut short or are no events."""
        try:
            lines = (self.path / _JOURNAL).read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        events = []
        for line in lines:
            with contextlib.suppress(ValueError):
                events.append(jsonable.decode(Event, jsonable.parsed(line)))
        return events

    def has_changed(self, name: str) -> bool:
        """Whether a file is not as it was when its stage ended; False if that is not known.

        Raises:
            OSError: The file cannot be read.
        """
        return self._known(name) not in (None, self._digest(name))

    def is_as_before(self, name: str, value: Any) -> bool:
        """Whether :meth:`write_json` would write what was there when a stage ended, if any did."""
        return self._known(name) in (None, sha256(jsonable.dumps(value).encode()).hexdigest())

    def _known(self, name: str) -> str | None:
        """Return the checksum of a file when its stage ended; None if the journal has none."""
        written = [event.sha256[name] for event in self.events() if name in event.sha256]
        return written[-1] if written else None

    def _digest(self, name: str) -> str:
        return sha256((self.path / name).read_bytes()).hexdigest()

    def is_done(self, stage: str) -> bool:
        """Whether the journal says that ``stage`` has ended."""
        return any(e.stage == stage and e.event == "done" for e in self.events())

    @contextlib.contextmanager
    def stage(self, name: str, *files: str) -> Iterator[None]:
        """Journal the start of a stage, and its end with the seconds it took if it got there.

        Args:
            name: The stage.
            *files: See :meth:`begin`.
        """
        end = self.begin(name, *files)
        with describe_disk_errors(self.path):
            yield
        end()

    def begin(self, stage: str, *files: str) -> Callable[[], None]:
        """Journal the start of a stage, one of several that run at the same time.

        Args:
            stage: The stage.
            *files: Files that it writes, whose checksums the journal keeps for
                :meth:`has_changed`.

        Returns:
            What journals its end, with the seconds it took.
        """
        self.log(stage, "begin")
        started = time.monotonic()

        def end() -> None:
            seconds = round(time.monotonic() - started, 3)
            checksums = {name: self._digest(name) for name in files}
            known = {"sha256": checksums} if checksums else {}
            self.log(stage, "done", seconds=seconds, **known)

        return end

    def busy(self, begin: str) -> float:
        """Return the seconds in which at least one stage ran whose name begins so.

        An attempt that was cut short counts up to the last line of the journal before the next.
        """
        total, end = 0.0, -math.inf
        for first, last in sorted(self._attempts(begin)):
            total += max(0.0, last - max(first, end))
            end = max(end, last)
        return total

    def _attempts(self, begin: str) -> Iterator[tuple[float, float]]:
        """Beginning and end of every attempt at some stages."""
        running: dict[str, float] = {}
        before = 0.0
        for event in self.events():
            stage, now = event.stage, event.time
            if stage.startswith(begin):
                started = running.pop(stage, None)
                if started is not None:
                    yield started, now if event.event == "done" else before
                if event.event == "begin":
                    running[stage] = now
            before = now

    def seconds(self) -> dict[str, float]:
        """Return the seconds that each finished stage took, its last attempt only."""
        done = (e for e in self.events() if e.event == "done")
        return {e.stage: e.seconds for e in done}


def check_free(path: Path, kind: str, config: Any, incidental: Collection[str] = ()) -> None:
    """Refuse a directory that a new run of ``config`` must not write into; change nothing."""
    with describe_disk_errors(path, every=True):
        if path.exists() and not path.is_dir():
            message = f"{path}: is a file; --out needs a new or empty directory"
            raise RunDirectoryError(message)
        if not path.exists() or _is_empty(path):
            return
    record = read_record(path, kind)
    if record is None:
        message = (
            f"{path}: is not empty and holds no run of phasezoo; choose a new or empty directory "
            "for --out (nothing was changed)"
        )
        if (path / _JOURNAL).exists():
            message = f"{path}: {_LOST}"
        raise RunDirectoryError(message)
    there, wanted = (
        {key: value for key, value in one.items() if key not in incidental}
        for one in (record.config, jsonable.plain(config))
    )
    keys = there.keys() | wanted.keys()
    unshared = sorted(there.keys() ^ wanted.keys())
    if unshared and all(there[key] == wanted[key] for key in there.keys() & wanted.keys()):
        message = (
            f"{path}: begun by another version of phasezoo, whose settings are others "
            f"({', '.join(unshared[:3])}); finish it with the version in its config.json, or "
            "choose another directory for --out (nothing was changed)"
        )
        raise RunDirectoryError(message)
    different = sorted(key for key in keys if there.get(key) != wanted.get(key))
    if different:
        changes = [f"{key} {there.get(key)!r} there, {wanted.get(key)!r} here" for key in different]
        more = [f"and {len(changes) - 3} more"] if len(changes) > 3 else []
        shown = ", ".join(changes[:3] + more)
        message = (
            f"{path}: holds another run ({shown}); continue that one with --resume "
            f"{shlex.quote(str(path))}, or "
            "choose another --out (nothing was changed)"
        )
        raise RunDirectoryError(message)


def kind_of(path: Path) -> str | None:
    """Return the kind of the run in ``path``; None without a run that can be read."""
    try:
        kind = jsonable.parsed((path / _RECORD).read_text(encoding="utf-8"))["kind"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return kind if isinstance(kind, str) else None


def read_record(path: Path, kind: str) -> RunRecord | None:
    """Return what the run in ``path`` was begun with, or None if there is no run."""
    file = path / _RECORD
    try:
        data = jsonable.parsed(file.read_text(encoding="utf-8"))
        # Runs of version 1 named their kind differently.
        found = (data.get("kind", data.get("experiment")), data["format_version"])
        if found == (kind, FORMAT_VERSION):
            return jsonable.decode(RunRecord, data, file.name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"{file}: is not the configuration of a run of phasezoo ({reason})"
        raise RunDirectoryError(message) from error
    theirs, ours = repr(found[0]), repr(kind)
    if found[1] != FORMAT_VERSION:
        theirs, ours = f"{theirs} in format {found[1]!r}", f"{ours} in format {FORMAT_VERSION}"
    message = (
        f"{path}: holds a run of {theirs}; this command reads {ours}: choose another directory"
    )
    raise RunDirectoryError(message)


def record_to_resume(path: Path, kind: str) -> RunRecord:
    """Return what the run in ``path`` was begun with."""
    record = read_record(path, kind)
    if record is None:
        is_free = not path.exists() or (path.is_dir() and _is_empty(path))
        other = shlex.quote(str(path)) if is_free else "and a new or empty directory"
        message = f"{path}: no run of {kind!r} to resume there; start one with --out {other}"
        if (path / _JOURNAL).exists():
            message = f"{path}: {_LOST}"
        raise RunDirectoryError(message)
    return record


def _is_empty(path: Path) -> bool:
    # A run that was killed before its configuration was written has left only these.
    return all(p.name == lock.LOCK or p.name.endswith(PARTIAL) for p in path.iterdir())
