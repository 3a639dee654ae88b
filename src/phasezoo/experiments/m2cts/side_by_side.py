"""Trainings of a run at the same time, each in a process of its own.

A small network hardly learns faster by a second thread: the cores of a machine train several of
them at once sooner than one after the other.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from multiprocessing.connection import wait

from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.plan import PlannedNetwork
from phasezoo.experiments.m2cts.training_process import Job, Trained, TrainingProcess
from phasezoo.report.console import Console

__all__ = ["train_side_by_side"]


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
                if isinstance(message, Trained):
                    done(network, message.card)
                    if network.is_part:
                        continue
                    finished += 1
                    console.note(f"Training {network.name}: {message.note}")
                    message = network.positions
                seen[network.name] = message
            task.update(sum(seen.values()), f"{finished} of {len(learning)} trained")


def _next(waiting: Sequence[Job], processes: Sequence[TrainingProcess]) -> Job | None:
    """The first that need not wait for the network that it starts from."""
    running = [process.job for process in processes if process.job is not None]
    missing = {job.network.name for job in (*waiting, *running)}
    return next((job for job in waiting if job.network.start not in missing), None)
