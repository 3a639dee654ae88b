"""Trainings of a run at the same time, each in a process of its own.

A small network hardly learns faster by a second thread: the cores of a machine train several of
them at once sooner than one after the other.
"""

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from typing import Any, Self

from phasezoo.errors import WorkersFailed
from phasezoo.experiments.console import Console, SilentConsole, Task
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.networks import train
from phasezoo.experiments.m2cts.plan import PlannedNetwork
from phasezoo.plugins import import_module

__all__ = ["Job", "train_side_by_side"]

_LOOK_SECONDS = 0.2
"""How often the progress of the processes is looked at."""


@dataclass(frozen=True)
class Job:
    """A network to train."""

    network: PlannedNetwork
    """Which."""
    recipe: Mapping[str, Any]
    """What it is trained on and how: see :func:`~.networks.train`."""
    out: Path
    """Its directory."""


@dataclass(frozen=True)
class _Trained:
    """What the process of a training sends back."""

    card: NetworkCard
    note: str


def train_side_by_side(
    jobs: Sequence[Job],
    workers: int,
    modules: Sequence[str],
    console: Console,
    begun: Callable[[PlannedNetwork], None],
    done: Callable[[PlannedNetwork, NetworkCard], None],
) -> None:
    """Train networks, several at the same time, each with as many threads as its recipe says.

    A network that starts from another one waits for it. If one fails, or the run is interrupted,
    the others stop too; each goes on from its last checkpoint when it is trained again.

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
    trained = [job.network for job in jobs if not job.network.is_part]
    waiting, running, finished = list(jobs), dict[Future[_Trained], Job](), 0
    with (
        console.task(
            f"Training {len(trained)} networks, {workers} at once",
            sum(network.positions for network in trained),
        ) as task,
        _Workers(min(workers, len(jobs)), modules) as processes,
    ):
        while waiting or running:
            for job in _ready(waiting, running.values())[: workers - len(running)]:
                begun(job.network)
                running[processes.train(job)] = job
                waiting.remove(job)
            ended, _ = wait(running, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            for future in ended:
                job = running.pop(future)
                result = _result(future, job)
                done(job.network, result.card)
                finished += not job.network.is_part
                if result.note:
                    console.note(f"Training {job.network.name}: {result.note}")
            task.update(processes.positions(), f"{finished} of {len(trained)} trained")


def _ready(waiting: Sequence[Job], running: Iterable[Job]) -> list[Job]:
    """Those that need not wait for the network that they start from."""
    missing = {job.network.name for job in (*waiting, *running)}
    return [job for job in waiting if job.network.start not in missing]


def _result(future: Future[_Trained], job: Job) -> _Trained:
    try:
        return future.result()
    except BrokenProcessPool as error:
        message = (
            f"{job.out}: a process that trained networks ended by itself; if the system had too "
            "little memory, take fewer --train-workers. What was trained is kept"
        )
        raise WorkersFailed(message) from error


class _Workers:
    """Processes that train.

    Args:
        count: How many.
        modules: What each imports first.
    """

    def __init__(self, count: int, modules: Sequence[str]) -> None:
        context = get_context("spawn")  # threads of torch and of the core do not survive a fork
        self._told = context.Queue()
        self._stop = context.Event()
        self._pool = ProcessPoolExecutor(
            count,
            mp_context=context,
            initializer=_begin,
            initargs=(tuple(modules), _Line(self._told, self._stop)),
        )
        self._positions: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)
        self._told.close()

    def train(self, job: Job) -> Future[_Trained]:
        """Begin a training."""
        return self._pool.submit(_train, job)

    def positions(self) -> int:
        """Training positions that all networks have seen by now."""
        while True:
            try:
                name, seen = self._told.get_nowait()
            except queue.Empty:
                return sum(self._positions.values())
            self._positions[name] = seen


@dataclass(frozen=True)
class _Line:
    """What connects a process with the run."""

    told: Any
    """Takes names of networks and the positions that they have seen."""
    stop: Any
    """Set when trainings are to end."""


_line: _Line
"""This process's, if it is one that trains."""


class _StoppedError(Exception):
    """Ends a training that can be resumed."""


def _begin(modules: Sequence[str], line: _Line) -> None:
    """Prepare a process."""
    global _line
    _line = line
    line.told.cancel_join_thread()  # nobody may read any more when this process ends
    signal(SIGINT, SIG_IGN)  # the run says when to stop
    threading.Thread(target=_end_with_the_run, daemon=True).start()
    for name in modules:
        import_module(name)


def _end_with_the_run() -> None:
    """End this process if that of the run is killed."""
    run = parent_process()
    if run is not None:
        run.join()
        os._exit(1)


def _train(job: Job) -> _Trained:
    console = _Reporting(job.network.name)
    return _Trained(train(job.network, job.recipe, job.out, console), console.last)


class _Reporting(SilentConsole):
    """Tells the run how far a training is."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.last = ""

    @contextmanager
    def task(self, name: str, total: int) -> Iterator[Task]:
        del name, total
        yield self

    def update(self, done: int, note: str = "") -> None:
        if _line.stop.is_set():
            raise _StoppedError
        self.last = note
        _line.told.put((self.name, done))
