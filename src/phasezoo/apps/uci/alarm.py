"""Calls at a time, whatever other threads do."""

import logging
import threading
import time
from collections.abc import Callable

NEVER = float("inf")

_LOGGER = logging.getLogger(__name__)


class Alarm:
    """One thread that waits for the next deadline.

    Setting it costs no switch of threads, as starting a timer does: where cores are busy, that
    takes longer than a move may at the end of a game.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._due = self._wakes = NEVER
        self._call: Callable[[], None] | None = None
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Have the thread ready, before time counts."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._wait, name="phasezoo-alarm", daemon=True)
            self._thread.start()

    def set(self, due: float, call: Callable[[], None]) -> None:
        """Call ``call`` at ``due`` (seconds of ``time.perf_counter``), in place of what was set."""
        self.start()
        with self._condition:
            self._due, self._call = due, call
            if due < self._wakes:
                self._condition.notify()

    def clear(self) -> None:
        """Call nothing."""
        with self._condition:
            self._due, self._call = NEVER, None

    def close(self) -> None:
        """End the thread."""
        with self._condition:
            self._is_closed = True
            self._condition.notify()

    def _wait(self) -> None:
        while (call := self._next()) is not None:
            try:
                call()
            except Exception:  # such as an agent of one's own raises; later moves need the thread
                _LOGGER.exception("the answer in time failed")

    def _next(self) -> Callable[[], None] | None:
        """Waits for a deadline; what is to be called, or None at the end."""
        with self._condition:
            while not self._is_closed:
                now = time.perf_counter()
                if now >= self._due and self._call is not None:
                    call, self._call, self._due = self._call, None, NEVER
                    return call
                self._wakes = self._due
                self._condition.wait(None if self._due == NEVER else self._due - now)
                self._wakes = NEVER
            return None
