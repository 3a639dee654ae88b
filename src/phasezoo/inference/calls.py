"""Calls of an evaluator: the questions, their answers, and how many go on at once."""

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import Evaluation, Leaves

AT_ONCE = 2
"""Calls in flight: one is answered while the search works on the leaves of the other."""


@dataclass(eq=False)
class Call:
    """Leaves that an evaluator is asked about together."""

    leaves: Leaves
    """Leaves of the call."""
    ask: Callable[[Leaves, Counts], Evaluation]
    """Asks, in any thread; adds what it took to the counts."""
    deliver: Callable[[Evaluation], None]
    """Takes the answer in, in the thread that searches."""
    spent: Counts = field(default_factory=Counts)
    """Cost of the call."""
    ended: float = 0.0
    """When the answer was there, in seconds of ``time.perf_counter``."""

    def run(self) -> Evaluation:
        """Ask."""
        answer = self.ask(self.leaves, self.spent)
        self.ended = time.perf_counter()
        return answer


class CallsInFlight:
    """Asks in threads of its own, and takes the answers in in the order of the questions.

    So everything that depends on the order is the same in every run.

    Args:
        workers: Threads that ask; 0: none, and :data:`most` is 1.
        counts: Grows by the cost of every call that was taken in.
        alone: Whether a call must have ended before the evaluator is asked again, also by others.
    """

    def __init__(self, workers: int, counts: Counts, *, alone: bool = False) -> None:
        self.most = AT_ONCE if workers else 1
        """Calls that may be in flight."""
        self.rows = 0
        """Rows that are asked about."""
        self._workers = min(workers, AT_ONCE)
        self._counts = counts
        self._alone = alone
        self._threads: ThreadPoolExecutor | None = None
        self._flying: deque[tuple[Call, Future[Evaluation]]] = deque()
        self._process = 0
        self._busy_until = 0.0

    def __len__(self) -> int:
        return len(self._flying)

    @property
    def leaves(self) -> list[Leaves]:
        """The leaves that are asked about."""
        return [call.leaves for call, _ in self._flying]

    def begin(self, call: Call, *, here: bool = False) -> None:
        """Ask; ``here``: in this thread, because there is nothing else to do meanwhile."""
        if here or not self._workers:
            answered: Future[Evaluation] = Future()
            answered.set_result(call.run())
            self._add(call, answered)
            return
        if self._threads is None or self._process != os.getpid():  # a fork inherits no threads
            self._process = os.getpid()
            self._threads = ThreadPoolExecutor(
                self._workers,
                thread_name_prefix="phasezoo-evaluator",
                initializer=set_calls_at_once,
                initargs=(self._workers,),
            )
        self._add(call, self._threads.submit(call.run))

    def _add(self, call: Call, answered: Future[Evaluation]) -> None:
        self._flying.append((call, answered))
        self.rows += len(call.leaves)

    def take_in(self) -> None:
        """Wait for the call that has been in flight longest, and take its answer in."""
        call, answered = self._flying.popleft()
        self.rows -= len(call.leaves)
        answer = answered.result()
        self._count(call)
        call.deliver(answer)

    def forget(self) -> None:
        """Take nothing in of what is in flight."""
        calls = [answered for _, answered in self._flying if not answered.cancel()]
        self._flying.clear()
        self.rows = 0
        if self._alone:
            wait(calls)

    def _count(self, call: Call) -> None:
        """Time in which two calls were answered counts once."""
        spent = call.spent
        together = max(0.0, self._busy_until - (call.ended - spent.seconds))
        spent.seconds = max(0.0, spent.seconds - together)
        self._busy_until = max(self._busy_until, call.ended)
        self._counts.add(spent)


class _Share(threading.local):
    calls = 1


_share = _Share()


def calls_at_once() -> int:
    """Return how many calls the machine is meant for at once, this thread's among them.

    A backend with threads of its own divides them by it.
    """
    return _share.calls


def set_calls_at_once(calls: int) -> None:
    """Say it, for the calls that this thread makes."""
    _share.calls = calls


def parallel_calls_of(evaluator: Any) -> int:
    """Return how many calls an evaluator, or each expert of a mixture, may be given at once.

    0: it is asked in the thread that searches, unless the search has ``in_flight=2``, as any
    evaluator is that does not say otherwise by an attribute ``parallel_calls``.
    """
    own = getattr(evaluator, "parallel_calls", None)
    if own is not None:
        return int(own)
    experts = getattr(evaluator, "experts", ())
    return min(map(parallel_calls_of, experts), default=0) if isinstance(experts, tuple) else 0


def has_one_thread(evaluator: Any) -> bool:
    """Return whether an evaluator, or each part of one, was given one thread alone."""
    parts = getattr(evaluator, "experts", None) or getattr(evaluator, "evaluator", None)
    if parts is None:
        return getattr(evaluator, "threads", None) == 1
    return all(map(has_one_thread, parts if isinstance(parts, tuple) else (parts,)))
