"""All games of the server, each by its secret name."""

import asyncio
import secrets
import time
from collections.abc import Callable
from typing import Any

from phasezoo import games
from phasezoo.apps.web.session import GameSession
from phasezoo.apps.web.workers import Workers
from phasezoo.errors import InvalidConfig, InvalidState

IDLE_SECONDS = 3600.0
"""A game that nobody has watched for so long is forgotten."""

LEFT_SECONDS = 30.0
"""Of a game that nobody has watched for so long, trees and engines are let go."""


class Sessions:
    """Keeps games apart, and their number below a limit.

    Args:
        workers: Threads that think.
        most: Games at once.
    """

    def __init__(self, workers: Workers, most: int) -> None:
        self.workers = workers
        self.most = most
        self._sessions: dict[str, GameSession] = {}
        self._watchers: dict[str, set[Callable[[GameSession], None]]] = {}
        self._left: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def open(self, game: games.Game, start: Any) -> GameSession:
        """A new game."""
        self._sweep()
        name = secrets.token_urlsafe(12)
        session = GameSession(name, game, start, self.workers, self._changed)
        self._sessions[name] = session
        self._watchers[name] = set()
        self._left[name] = time.monotonic()
        return session

    def find(self, name: str) -> GameSession:
        """A game by its name."""
        session = self._sessions.get(name)
        if session is None:
            message = f"game {name[:40]!r} is not on this server any more: begin a new one"
            raise InvalidState(message)
        return session

    def watch(self, session: GameSession, watcher: Callable[[GameSession], None]) -> None:
        """Call ``watcher`` at every change."""
        self._watchers[session.name].add(watcher)
        session.wake()

    def leave(self, name: str, watcher: Callable[[GameSession], None]) -> None:
        """Call it no more; a game without watchers stands still until one comes back."""
        watchers = self._watchers.get(name)
        if watchers is None:
            return
        watchers.discard(watcher)
        if not watchers:
            self._left[name] = time.monotonic()
            self._sessions[name].rest()
            loop = asyncio.get_running_loop()
            loop.call_later(LEFT_SECONDS, self._release, name, self._left[name])

    def _release(self, name: str, left: float) -> None:
        """Release a game that nobody has watched since a time."""
        if name in self._sessions and not self._watchers[name] and self._left[name] == left:
            self._sessions[name].release()

    def close(self) -> None:
        """Forget all games."""
        for name in list(self._sessions):
            self._forget(name)

    def _changed(self, session: GameSession) -> None:
        for watcher in tuple(self._watchers.get(session.name, ())):
            watcher(session)

    def _sweep(self) -> None:
        """Forget games that nobody watches: the old ones, and if there is no room, the oldest."""
        idle = sorted(
            (name for name, watchers in self._watchers.items() if not watchers),
            key=self._left.__getitem__,
        )
        now = time.monotonic()
        for name in idle:
            is_old = now - self._left[name] > IDLE_SECONDS
            if is_old or len(self._sessions) >= self.most:
                self._forget(name)
        if len(self._sessions) >= self.most:
            message = (
                f"there are {len(self._sessions):,} games on this server, and no more fit: close a "
                "page, or start the server with a larger --games"
            )
            raise InvalidConfig(message)

    def _forget(self, name: str) -> None:
        self._sessions.pop(name).close()
        self._watchers.pop(name)
        self._left.pop(name)
