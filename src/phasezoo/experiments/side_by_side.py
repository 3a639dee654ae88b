"""Pieces of a run's work at the same time, each in a process of its own.

A small network hardly learns or plays faster by a second thread: the cores of a machine do several
pieces at once sooner than one after the other.
"""

import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, Self, TypeVar

from phasezoo._torch import preload_for_processes
from phasezoo.errors import PhasezooError, WorkersFailed
from phasezoo.plugins import allowed, import_modules, only
from phasezoo.report.console import Console, SilentConsole, Task

_END_SECONDS = 5
"""How long a process that has closed its pipe may take to end."""


class Job(Protocol):
    """A piece of work, which can be sent to a process."""

    @property
    def name(self) -> str:
        """Its name, which no other one has."""

    @property
    def place(self) -> object:
        """Where it keeps what it has done so far, for errors."""

    @property
    def steps(self) -> int:
        """Steps of its progress; 0 if it is done at once, and shows none."""

    @property
    def after(self) -> Collection[str | None]:
        """Names of those that must end before it begins."""

    def work(self, console: Console) -> Any:
        """Do it, or finish what an earlier attempt began, and show how far that is."""


AnyJob = TypeVar("AnyJob", bound=Job)


@dataclass(frozen=True)
class _Ended:
    """The end of a job, with what it found and the last that it showed."""

    found: Any
    title: str
    note: str


@dataclass(frozen=True)
class _Failed:
    """An error that a job raised, and its cause."""

    error: BaseException
    cause: BaseException | None


class _Process:
    """A process that does one job at a time.

    It ends with the process that made it, even if that is killed, and leaves Ctrl-C to it.

    Args:
        modules: Modules, or files, that register what jobs name; it imports them first.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        context = _context()
        self.pipe, theirs = context.Pipe()
        self.job: Job | None = None
        """The job that it does, if there is one."""
        self._process = context.Process(
            target=_serve, args=(theirs, tuple(modules), allowed()), daemon=True
        )
        with _interrupts_blocked():
            self._process.start()
        theirs.close()

    def begin(self, job: Job) -> None:
        """Begin a job."""
        self.job = job
        try:
            self.pipe.send(job)
        except OSError:
            self.message(job)
            raise

    def message(self, job: Job) -> int | _Ended:
        """Wait for the steps that its job has done, or for its end."""
        try:
            message: int | _Ended | _Failed = self.pipe.recv()
        except (EOFError, OSError) as error:
            raise self._died(job) from error
        if isinstance(message, _Failed):
            raise message.error from message.cause
        if isinstance(message, _Ended):
            self.job = None
        return message

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self.pipe.close()

    def _died(self, job: Job) -> WorkersFailed:
        self._process.join(_END_SECONDS)
        code = self._process.exitcode or 0
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        return WorkersFailed(
            f"{job.place}: the process that worked on it ended {how}; if the system had too little "
            "memory, the same command with fewer workers goes on with what is done"
        )


def _context() -> Any:
    """How processes start: never as forks of the run, whose threads would be missing in them."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    preload_for_processes()
    return get_context("forkserver")


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let processes that are started meanwhile never see a Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, modules: Sequence[str], known: frozenset[str] | None) -> None:
    """Do the jobs that the run sends, until one fails; import what it may, and no more."""
    with only(known):
        _do_jobs(pipe, modules)


def _do_jobs(pipe: Connection, modules: Sequence[str]) -> None:
    threading.Thread(target=_end_with_the_run, daemon=True).start()
    name = ""
    try:
        import_modules(modules)
        while True:
            job: Job = pipe.recv()
            name = job.name
            reporting = _Reporting(pipe)
            found = job.work(reporting)
            del job  # what it holds may be large, and the next one may come late
            pipe.send(_Ended(found, reporting.title, reporting.last))
    except BaseException as error:
        pipe.send(_failed(name, error))


def _end_with_the_run() -> None:
    run = parent_process()
    if run is not None:
        run.join()
        os._exit(1)


def _failed(name: str, error: BaseException) -> _Failed:
    """An error as it can be sent, with where it was raised if that says something."""
    if not isinstance(error, PhasezooError):
        error.add_note(traceback.format_exc())
    if not _can_be_sent(error):
        text = f"{name}: {type(error).__name__}: {error}"
        failed = WorkersFailed(text)
        failed.add_note(traceback.format_exc())
        return _Failed(failed, None)
    cause = error.__cause__
    return _Failed(error, cause if cause is not None and _can_be_sent(cause) else None)


def _can_be_sent(error: BaseException) -> bool:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


class _Reporting(SilentConsole):
    """Sends the run how far a job is."""

    def __init__(self, pipe: Connection) -> None:
        super().__init__()
        self.title = self.last = ""
        self._pipe = pipe

    @contextmanager
    def task(self, name: str, total: int) -> Iterator[Task]:
        del total
        self.title = name
        yield self

    def update(self, done: int, note: str = "") -> None:
        self.last = note
        self._pipe.send(done)


class Processes:
    """Processes that do jobs at the same time; they start when they are needed first.

    As a context it ends them all, whatever they do. A job that was not done goes on from what it
    has kept when it is done again.

    Args:
        number: How many jobs at the same time.
        modules: Modules, or files, that register what jobs name.
    """

    def __init__(self, number: int, modules: Sequence[str]) -> None:
        self._number = number
        self._modules = modules
        self._processes: list[_Process] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._processes:
            self._processes.pop().close()

    def do(
        self,
        doing: str,
        things: str,
        jobs: Sequence[AnyJob],
        console: Console,
        begin: Callable[[AnyJob], Callable[[Any], None]],
    ) -> None:
        """Do jobs, and wait for them. If one fails, nothing more is begun.

        Args:
            doing: What is done to them, for people, such as ``Training``.
            things: What they are, such as ``networks``.
            jobs: The jobs, each after those that it waits for.
            console: Where progress is shown.
            begin: Called with a job as it begins; returns what is called with what it found as it
                ends.
        """
        shown = [job for job in jobs if job.steps]
        seen, finished, waiting = dict.fromkeys((job.name for job in shown), 0), 0, list(jobs)
        ends: dict[str, Callable[[Any], None]] = {}
        at_once = min(self._number, len(jobs))
        # All are started before the first has work, which is sent only once it is ready.
        while len(self._processes) < at_once:
            self._processes.append(_Process(self._modules))
        title = f"{doing} {len(shown)} {things}, {at_once} at once"
        with console.task(title, sum(job.steps for job in shown)) as task:
            while waiting or any(process.job for process in self._processes):
                for process in (one for one in self._processes if one.job is None):
                    ready = _next(waiting, self._processes)
                    if ready is not None:
                        waiting.remove(ready)
                        process.begin(ready)
                        ends[ready.name] = begin(ready)
                busy = [(one, one.job) for one in self._processes if one.job is not None]
                heard = wait([process.pipe for process, _ in busy])
                for process, job in busy:
                    if process.pipe not in heard:
                        continue
                    message = process.message(job)
                    if isinstance(message, _Ended):
                        ends[job.name](message.found)
                        if not job.steps:
                            continue
                        finished += 1
                        console.note(f"{message.title}: {message.note}")
                        message = job.steps
                    seen[job.name] = message
                task.update(sum(seen.values()), f"{finished} of {len(shown)} done")


def _next(waiting: Sequence[AnyJob], processes: Sequence[_Process]) -> AnyJob | None:
    """Return the first that need not wait for another one."""
    missing = {job.name for job in waiting}
    missing |= {process.job.name for process in processes if process.job is not None}
    return next((job for job in waiting if missing.isdisjoint(job.after)), None)
