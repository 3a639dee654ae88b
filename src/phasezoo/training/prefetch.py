"""Batches made in a thread of their own while the network trains."""

import queue
import threading
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")

_POLL_SECONDS = 0.1


class Prefetcher(Generic[T]):
    """Calls ``make`` for one index after the other, a few ahead of who asks.

    The native core releases the interpreter lock while it makes planes, so this takes no time from
    the training as long as there is a core to spare, and little otherwise.

    Args:
        make: Makes the item of an index.
        indices: The indices, in the order in which they will be asked for.
        depth: Items that may wait to be taken.
    """

    def __init__(self, make: Callable[[int], T], indices: Iterable[int], depth: int = 3) -> None:
        self._queue: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue(depth)
        self._stop = threading.Event()
        self._first: float | None = None
        self._waited = 0.0
        self._thread = threading.Thread(
            target=self._work, args=(make, indices), name="phasezoo-prefetch", daemon=True
        )
        self._thread.start()

    def next(self) -> T:
        """The next item; raises what making it raised."""
        asked = time.perf_counter()
        item, error = self._queue.get()
        now = time.perf_counter()
        if self._first is None:
            self._first = now  # making the first item is no fault of whoever makes the next
        else:
            self._waited += now - asked
        if error is not None:
            raise error
        return item  # type: ignore[return-value]  # an item without an error is one

    def waiting_share(self) -> float:
        """Share of the time since the first item in which :meth:`next` had to wait; 0 before."""
        spent = 0.0 if self._first is None else time.perf_counter() - self._first
        return self._waited / spent if spent > 0 else 0.0

    def close(self) -> None:
        """Stop making items."""
        self._stop.set()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _work(self, make: Callable[[int], T], indices: Iterable[int]) -> None:
        try:
            for index in indices:
                if not self._put((make(index), None)):
                    return
        except Exception as error:  # handed to the thread that asks
            self._put((None, error))

    def _put(self, entry: tuple[T | None, BaseException | None]) -> bool:
        """Wait for room; False when told to stop instead."""
        while not self._stop.is_set():
            try:
                self._queue.put(entry, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return True
        return False
