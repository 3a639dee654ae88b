"""The processes of one engine, and the thread on which they are spoken with."""

import asyncio
import contextlib
import os
import threading
import weakref
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

from phasezoo.agents.engines.process import QUIT_SECONDS, Engine
from phasezoo.errors import InvalidState

T = TypeVar("T")


class _Host(NamedTuple):
    """A thread with an event loop; it ends on request."""

    thread: threading.Thread
    loop: asyncio.AbstractEventLoop
    stop: asyncio.Event
    engines: set[Engine]
    """Those that live on the loop."""
    owner: int
    """The process that made it: a fork has the object, and not the thread."""


class EnginePool:
    """Engines of one command: each plays one game at a time, and waits for the next one.

    The engines end when the pool is closed or collected, and when the program ends, by Ctrl-C too.

    Args:
        command: The words of the command.
        options: UCI options by name.
        parallel: How many think at once.
        start_seconds: Time that an engine has to start.
    """

    def __init__(
        self,
        command: Sequence[str],
        options: Mapping[str, Any],
        *,
        parallel: int,
        start_seconds: float,
    ) -> None:
        self._command = list(command)
        self._options = dict(options)
        self._start_seconds = start_seconds
        self._spare: list[Engine] = []
        self.turns = asyncio.Semaphore(parallel)
        """Whoever thinks holds one."""
        self._host = _open_host()
        self._end = weakref.finalize(self, _end, self._host)

    @property
    def is_open(self) -> bool:
        """Whether games can be played: it is not closed, and this process made it."""
        return self._end.alive and self._host.owner == os.getpid()

    @property
    def pids(self) -> list[int]:
        """Of the processes that run."""
        return sorted(engine.pid for engine in self._host.engines)

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Let the pool's thread do something.

        Raises:
            InvalidState: The pool is closed, or belongs to the process that this one was forked
                from.
        """
        if not self.is_open:
            work.close()
            message = "these engines are closed, or another process's: make the agent anew"
            raise InvalidState(message)
        return asyncio.run_coroutine_threadsafe(work, self._host.loop)

    async def take(self) -> Engine:
        """An engine for a game.

        Raises:
            EngineFailed: None can be started.
        """
        while self._spare:
            spare = self._spare.pop()
            if spare.is_running:
                return spare
            await self.drop(spare)
        engine = await Engine.start(self._command, self._options, self._start_seconds)
        self._host.engines.add(engine)
        return engine

    async def drop(self, engine: Engine) -> None:
        """End an engine that cannot be trusted any more."""
        self._host.engines.discard(engine)
        await engine.kill()

    def give_back(self, engine: Engine) -> None:
        """Keep an engine, whose game is over, for the next one."""
        if self._end.alive:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self._host.loop.call_soon_threadsafe(self._spare.append, engine)

    def close(self) -> None:
        """End all engines; calling it twice is harmless."""
        self._end()


def _open_host() -> _Host:
    opened: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        opened.set_result((asyncio.get_running_loop(), stop))
        await stop.wait()

    # Not to be waited for when the program ends: the engines are ended then, and this with them.
    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="engines", daemon=True)
    thread.start()
    loop, stop = opened.result()
    return _Host(thread, loop, stop, set(), os.getpid())


def _end(host: _Host) -> None:
    """End the engines and the thread."""
    if host.owner != os.getpid():
        return

    async def end() -> None:
        quitting = [engine.quit() for engine in host.engines]
        await asyncio.gather(*quitting, return_exceptions=True)
        host.engines.clear()
        host.stop.set()

    with contextlib.suppress(RuntimeError):  # the loop is closed
        ending = asyncio.run_coroutine_threadsafe(end(), host.loop)
        if threading.current_thread() is not host.thread:
            with contextlib.suppress(TimeoutError):
                ending.result(4 * QUIT_SECONDS)
            host.thread.join(QUIT_SECONDS)
