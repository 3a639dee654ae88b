"""Threads in which agents think, shared by all games."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, TypeVar

from phasezoo.apps.web.thinking import Stop

__all__ = ["Workers"]

Found = TypeVar("Found")

Task = Literal["play", "look", "load"]
"""Moves; analyses, which go on for long; networks and files. Each kind waits for its own threads
alone, so that no analysis holds up a game."""

LOADERS = 2
"""Threads that load networks and files."""


class Workers:
    """Threads.

    Args:
        threads: How many agents play at once, and how many look; the others wait for their turn.
        most_seconds: The longest that a search goes on.
    """

    def __init__(self, threads: int, most_seconds: float) -> None:
        self.most_seconds = most_seconds
        sizes: dict[Task, int] = {"play": threads, "look": threads, "load": LOADERS}
        self._pools = {
            task: ThreadPoolExecutor(size, thread_name_prefix=f"phasezoo-web-{task}")
            for task, size in sizes.items()
        }

    async def run(
        self,
        work: Callable[[], Found],
        task: Task = "load",
        stop: Stop | None = None,
        least: float = 0.0,
    ) -> Found:
        """What ``work`` gives, in a thread.

        Args:
            work: What takes long.
            task: What it is.
            stop: If it is dropped before a thread is free, the work is not begun.
            least: Seconds that it takes at least.

        Raises:
            CancelledError: It was not begun.
        """
        began = time.monotonic()

        def guarded() -> Found:
            if stop is not None and stop.is_dropped:
                raise _NotBegun
            return work()

        try:
            found = await asyncio.get_running_loop().run_in_executor(self._pools[task], guarded)
        except _NotBegun:
            raise asyncio.CancelledError from None
        rest = least - (time.monotonic() - began)
        if rest > 0:
            await asyncio.sleep(rest)
        return found

    def close(self) -> None:
        """Begin nothing more; what goes on ends by itself."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


class _NotBegun(Exception):
    """Nobody waits for the work any more."""
