"""Connections before anybody is known: their number, and the time that a request may take to come.

Whoever can reach the port can open connections, also without the token. A connection that sends no
whole request in time is closed; if there are too many, the one that has waited longest goes first.
"""

import asyncio
import logging
import time
from collections import Counter
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from phasezoo.apps.web.fields import LONGEST_MESSAGE

HEADER_SECONDS = 10.0
"""The longest that a request may take to arrive."""

LOG_SECONDS = 1.0
"""Time between two lines of log of one kind."""

LOGGERS = ("asyncio", "phasezoo.web", "uvicorn.asgi", "uvicorn.error", "websockets.server")
"""Where requests that are refused, or fail, leave lines."""


def configured(app: Any, most: int, seconds: float = HEADER_SECONDS) -> uvicorn.Config:
    """How the ASGI server runs an application.

    Args:
        app: The application.
        most: Connections at once, open pages among them.
        seconds: The longest that a request may take to arrive.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        http=_patient(most, seconds),
        ws_max_size=LONGEST_MESSAGE,
        ws="websockets-sansio",
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, Seldom) for each in logger.filters):
            logger.addFilter(Seldom())
    return config


def _patient(most: int, seconds: float) -> type[H11Protocol]:
    """HTTP with bounds: see :func:`configured`."""
    waiting: dict[Any, asyncio.TimerHandle] = {}

    class Patient(H11Protocol):
        """HTTP that does not wait for ever."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()
            if len(self.connections) <= most:
                return
            first = next(iter(waiting))
            first.give_up()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.transport.get_protocol() is not self or self._is_answering:
                self._wait_no_more()
            else:
                self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._wait_no_more()
            super().connection_lost(exc)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._wait()

        def give_up(self) -> None:
            """Close a connection on which nothing is being answered."""
            self._wait_no_more()
            self.connections.discard(self)
            self.transport.abort()

        @property
        def _is_answering(self) -> bool:
            whole = self.conn.their_state in (h11.DONE, h11.MUST_CLOSE)
            return whole and self.cycle is not None and not self.cycle.response_complete

        def _wait(self) -> None:
            if self not in waiting:
                waiting[self] = self.loop.call_later(seconds, self.give_up)

        def _wait_no_more(self) -> None:
            timer = waiting.pop(self, None)
            if timer is not None:
                timer.cancel()

    return Patient


class Seldom(logging.Filter):
    """Lets one line of a kind pass in a second; the next one says how many were left out.

    A kind is what a line says before its values are filled in.
    """

    def __init__(self, seconds: float = LOG_SECONDS) -> None:
        super().__init__()
        self._seconds = seconds
        self._last: dict[Any, float] = {}
        self._left_out: Counter[Any] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written."""
        kind = (record.name, record.levelno, record.pathname, record.lineno)
        now = time.monotonic()
        if now - self._last.get(kind, -self._seconds) < self._seconds:
            self._left_out[kind] += 1
            return False
        self._last[kind] = now
        count = self._left_out.pop(kind, 0)
        if count:
            record.msg = f"{record.msg} ({count:,} like it were left out)"
        return True
