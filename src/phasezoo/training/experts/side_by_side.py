"""Trainings of a run at the same time, each in a process of its own.

A small network hardly learns faster by a second thread: the cores of a machine train several of
them at once sooner than one after the other.
"""

import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TypeAlias

from phasezoo.errors import PhasezooError, WorkersFailed
from phasezoo.plugins import import_module
from phasezoo.report.console import Console, SilentConsole, Task
from phasezoo.training.callbacks import Callbacks, Progress
from phasezoo.training.experts.planned import LossCurve, Recipe, TrainedNetwork, train_planned
from phasezoo.training.experts.plans import PlannedTraining
from phasezoo.training.supervised import Hooks

_REFRESH_SECONDS = 0.2
"""How often progress is shown."""

_END_SECONDS = 5
"""How long a process that has closed its pipe may take to end."""


@dataclass(frozen=True)
class Job:
    """A network to train."""

    network: PlannedTraining
    """The plan."""
    recipe: Recipe
    """Games and options."""
    folder: Path
    """The directory of all networks."""

    def train(self, console: Console) -> TrainedNetwork:
        """Train the network, or finish its training, and show how far that is.

        Raises:
            CheckpointError: A file of the training is damaged, or the disk is full.
        """
        plan = self.network
        if plan.is_part:
            result = train_planned(plan, self.recipe, self.folder)
        else:
            with console.task(f"Training {plan.name}", plan.positions) as task:
                hooks = Hooks(Callbacks((), _shown_on(task)))
                result = train_planned(plan, self.recipe, self.folder, hooks=hooks)
        return replace(TrainedNetwork.of(plan, result), curve=LossCurve.of(result.history))


def _shown_on(task: Task) -> Callable[[Progress], None]:
    """Return what shows speed and losses of a training a few times a second."""
    first: Progress | None = None
    started = last = time.perf_counter()

    def show(progress: Progress) -> None:
        nonlocal first, last
        first = first or progress
        now = time.perf_counter()
        if now - last < _REFRESH_SECONDS and progress.update < progress.updates:
            return
        last = now
        speed = (progress.positions - first.positions) / max(now - started, 1e-9)
        parts = [f"{speed:,.0f} positions/s"]
        if progress.train_loss is not None:
            parts.append(f"loss {progress.train_loss:.3f}")
        if progress.validation_loss is not None:
            parts.append(f"validation {progress.validation_loss:.3f}")
        task.update(progress.positions, ", ".join(parts))

    return show


@dataclass(frozen=True)
class _Ended:
    """The end of a training, with its last speed and losses for people."""

    network: TrainedNetwork
    note: str


@dataclass(frozen=True)
class _Failed:
    """An error that a training raised, and its cause."""

    error: BaseException
    cause: BaseException | None


Message: TypeAlias = "int | _Ended"
"""Training positions that the network has seen, or the end of its training."""


class TrainingProcess:
    """A process that trains one network at a time.

    It ends with the process that made it, even if that is killed, and leaves Ctrl-C to it. What it
    was training goes on from its last checkpoint when it is trained again.

    Args:
        modules: Modules, or files, that register what recipes name; it imports them first.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        context = get_context("spawn")  # threads of torch and of the core do not survive a fork
        self.pipe, theirs = context.Pipe()
        self.job: Job | None = None
        """The training that goes on, if there is one."""
        self._process = context.Process(target=_serve, args=(theirs, tuple(modules)), daemon=True)
        with _interrupts_blocked():
            self._process.start()
        theirs.close()

    def train(self, job: Job) -> None:
        """Begin a training.

        Raises:
            WorkersFailed: The process has ended by itself.
            PhasezooError: Why it has, if it could be sent.
        """
        self.job = job
        try:
            self.pipe.send(job)
        except OSError:
            self.message()
            raise

    def message(self) -> Message:
        """Wait for its next message.

        Raises:
            WorkersFailed: The process has ended by itself, or what its training raised cannot be
                sent.
            PhasezooError: What its training raised.
        """
        job = self.job
        if job is None:
            text = "nothing is being trained"
            raise RuntimeError(text)
        try:
            message: Message | _Failed = self.pipe.recv()
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
            f"{job.folder / job.network.name}: the process that trained this network ended {how}; "
            "if the system had too little memory, the same command with fewer --train-workers goes "
            "on with what is trained"
        )


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


def _serve(pipe: Connection, modules: Sequence[str]) -> None:
    """Train what the run sends, until something fails."""
    threading.Thread(target=_end_with_the_run, daemon=True).start()
    try:
        for name in modules:
            import_module(name)
        while True:
            job: Job = pipe.recv()
            reporting = _Reporting(pipe)
            pipe.send(_Ended(job.train(reporting), reporting.last))
    except BaseException as error:
        pipe.send(_failed(error))


def _end_with_the_run() -> None:
    run = parent_process()
    if run is not None:
        run.join()
        os._exit(1)


def _failed(error: BaseException) -> _Failed:
    """An error as it can be sent, with where it was raised if that says something."""
    if not isinstance(error, PhasezooError):
        error.add_note(traceback.format_exc())
    if not _can_be_sent(error):
        text = f"a training failed: {type(error).__name__}: {error}"
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
    """Sends the run how far a training is."""

    def __init__(self, pipe: Connection) -> None:
        super().__init__()
        self.last = ""
        self._pipe = pipe

    @contextmanager
    def task(self, name: str, total: int) -> Iterator[Task]:
        del name, total
        yield self

    def update(self, done: int, note: str = "") -> None:
        self.last = note
        self._pipe.send(done)


def train_side_by_side(
    jobs: Sequence[Job],
    workers: int,
    modules: Sequence[str],
    console: Console,
    begun: Callable[[PlannedTraining], None],
    done: Callable[[PlannedTraining, TrainedNetwork], None],
) -> None:
    """Train networks, several at the same time, each with as many threads as its recipe says.

    A network that starts from another one waits for it. If one fails, or the run is interrupted,
    the others end too; each goes on from its last checkpoint when it is trained again.

    Args:
        jobs: What to train, each after what it starts from.
        workers: How many at the same time.
        modules: Modules, or files, that register what recipes name.
        console: Where progress is shown.
        begun: Called as a training begins.
        done: Called as a training ends, with what the network got.

    Raises:
        WorkersFailed: A process ended by itself.
        PhasezooError: What a training raises.
    """
    workers = min(workers, len(jobs))
    learning = [job.network for job in jobs if not job.network.is_part]
    seen, finished, waiting = dict.fromkeys((one.name for one in learning), 0), 0, list(jobs)
    name = f"Training {len(learning)} networks, {workers} at once"
    with (
        console.task(name, sum(one.positions for one in learning)) as task,
        ExitStack() as opened,
    ):
        # All are begun before the first has work, which is sent only once it is ready.
        processes = [
            opened.enter_context(closing(TrainingProcess(modules))) for _ in range(workers)
        ]
        while waiting or any(process.job for process in processes):
            for process in (one for one in processes if one.job is None):
                ready = _next(waiting, processes)
                if ready is not None:
                    waiting.remove(ready)
                    process.train(ready)
                    begun(ready.network)
            busy = [(one, one.job.network) for one in processes if one.job is not None]
            heard = wait([process.pipe for process, _ in busy])
            for process, network in busy:
                if process.pipe not in heard:
                    continue
                message = process.message()
                if isinstance(message, _Ended):
                    done(network, message.network)
                    if network.is_part:
                        continue
                    finished += 1
                    console.note(f"Training {network.name}: {message.note}")
                    message = network.positions
                seen[network.name] = message
            task.update(sum(seen.values()), f"{finished} of {len(learning)} trained")


def _next(waiting: Sequence[Job], processes: Sequence[TrainingProcess]) -> Job | None:
    """The first that need not wait for a network that it starts from or learns from."""
    running = [process.job for process in processes if process.job is not None]
    missing = {job.network.name for job in (*waiting, *running)}
    free = (one for one in waiting if missing.isdisjoint((one.network.start, one.network.teacher)))
    return next(free, None)
