"""Threads in which agents think, shared by all games."""

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Literal, TypeVar

from phasezoo.apps.web.analysis import Analysis
from phasezoo.apps.web.search import Answer, Searcher, Stop
from phasezoo.errors import InvalidConfig

Found = TypeVar("Found")

Task = Literal["play", "look", "load", "read"]
"""Moves; analyses, which go on for long; networks, engines and what else may take seconds to make;
files of games. Each kind waits for its own threads alone, so that no analysis holds up a game, and
no network that is loaded a page."""

LOADERS = 2
"""Threads that load networks, and the same number that read files."""

SECONDS: dict[Task, float] = {"load": 120.0, "read": 60.0}
"""The longest that is waited for such a task."""

MORE_SECONDS = 10.0
"""Time that a search has to end after its own is over."""

MOST_STUCK = 8
"""Threads of a kind that are replaced, because what they do does not end."""


class _Pool:
    """Threads that do not keep the program from ending."""

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._size = size
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0
        self._stuck = 0

    @property
    def busy(self) -> int:
        """How many threads do something."""
        return self._threads - self._idle

    def submit(self, job: Callable[[], None]) -> None:
        """Do something as soon as a thread is free."""
        with self._lock:
            if self._threads - self._stuck < self._size and self._jobs.qsize() >= self._idle:
                self._start()
            self._jobs.put(job)

    def replace(self) -> None:
        """Have another thread in place of one that is stuck."""
        with self._lock:
            if self._stuck < MOST_STUCK:
                self._stuck += 1
                self._start()

    def close(self) -> None:
        """Begin nothing more."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._jobs.get_nowait()
        for _ in range(self._threads):
            self._jobs.put(None)

    def _start(self) -> None:
        self._threads += 1
        threading.Thread(target=self._serve, name=self._name, daemon=True).start()

    def _serve(self) -> None:
        while True:
            with self._lock:
                self._idle += 1
            job = self._jobs.get()
            with self._lock:
                self._idle -= 1
            if job is not None:
                job()
            with self._lock:
                if job is None or self._stuck:  # there is another one by now
                    self._stuck -= job is not None
                    self._threads -= 1
                    return


class Workers:
    """Threads.

    Args:
        threads: How many agents play at once, and how many look; the others wait for their turn.
        most_seconds: The longest that a search goes on.
    """

    def __init__(self, threads: int, most_seconds: float) -> None:
        self.most_seconds = most_seconds
        sizes: dict[Task, int] = {
            "play": threads, "look": threads, "load": LOADERS, "read": LOADERS
        }  # fmt: skip
        self._pools = {task: _Pool(f"phasezoo-web-{task}", n) for task, n in sizes.items()}

    @property
    def busy(self) -> int:
        """How many threads do something."""
        return sum(pool.busy for pool in self._pools.values())

    async def run(
        self,
        work: Callable[[], Found],
        task: Task = "read",
        stop: Stop | None = None,
        least: float = 0.0,
    ) -> Found:
        """Return the result of ``work``, done in a thread."""
        asked = time.monotonic()
        loop, begun = asyncio.get_running_loop(), asyncio.Event()
        found: Future[Found] = Future()

        def job() -> None:
            if stop is not None and stop.is_dropped:
                found.cancel()
            if not found.set_running_or_notify_cancel():
                return
            with contextlib.suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(begun.set)
            try:
                found.set_result(work())
            except BaseException as error:
                found.set_exception(error)

        pool = self._pools[task]
        pool.submit(job)
        waited = asyncio.wrap_future(found)
        beginning = loop.create_task(begun.wait())
        try:
            await asyncio.wait((waited, beginning), return_when=asyncio.FIRST_COMPLETED)
            most = SECONDS.get(task, self.most_seconds + MORE_SECONDS)
            await asyncio.wait((waited,), timeout=most)
        finally:
            beginning.cancel()
        if not waited.done():
            pool.replace()
            waited.add_done_callback(lambda late: late.cancelled() or late.exception())
            message = f"it has not ended after {most:g} seconds and is not waited for any more"
            raise InvalidConfig(message)
        answer = waited.result()
        rest = least - (time.monotonic() - asked)
        if rest > 0:
            await asyncio.sleep(rest)
        return answer

    def search(
        self,
        searcher: Searcher,
        state: Any,
        heard: Callable[[Stop, Analysis], None],
        ended: Callable[[Stop, "asyncio.Task[Answer]"], None],
        *,
        player: int | None = None,
        pace: float | None = None,
    ) -> Stop:
        """Begin a search, which looks on until it is stopped, or with ``pace`` finds a move."""
        loop, stop, looks = asyncio.get_running_loop(), Stop(self.most_seconds), pace is None

        def report(analysis: Analysis) -> None:
            with contextlib.suppress(RuntimeError):  # the server is being shut down
                loop.call_soon_threadsafe(heard, stop, analysis)

        work = partial(searcher.search, state, stop, report, for_ever=looks, player=player)
        task = loop.create_task(self.run(work, "look" if looks else "play", stop, pace or 0.0))
        task.add_done_callback(partial(ended, stop))
        return stop

    def begin(self, work: Callable[[], Any]) -> None:
        """Have something done that nobody waits for."""

        def job() -> None:
            try:
                work()
            except Exception:
                logging.getLogger("phasezoo.web").exception("a game could not be let go")

        self._pools["read"].submit(job)

    def close(self) -> None:
        """Begin nothing more; what goes on is left to itself."""
        for pool in self._pools.values():
            pool.close()
