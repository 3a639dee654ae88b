"""All games of the server, each by its secret name."""

import asyncio
import secrets
import time
from collections.abc import Callable
from typing import Any

from phasezoo import games
from phasezoo.apps.web.table import Table
from phasezoo.apps.web.workers import Workers
from phasezoo.errors import InvalidConfig, InvalidState

__all__ = ["Hall"]

IDLE_SECONDS = 3600.0
"""A game that nobody has watched for so long is forgotten."""

LEFT_SECONDS = 30.0
"""Of a game that nobody has watched for so long, trees and engines are let go."""


class Hall:
    """Keeps games apart, and their number below a limit.

    Args:
        workers: Threads that think.
        most: Games at once.
    """

    def __init__(self, workers: Workers, most: int) -> None:
        self.workers = workers
        self.most = most
        self._tables: dict[str, Table] = {}
        self._watchers: dict[str, set[Callable[[Table], None]]] = {}
        self._left: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._tables)

    def open(self, game: games.Game, start: Any) -> Table:
        """A new game.

        Raises:
            InvalidConfig: There are too many, and all of them are watched.
        """
        self._sweep()
        name = secrets.token_urlsafe(12)
        table = Table(name, game, start, self.workers, self._changed)
        self._tables[name] = table
        self._watchers[name] = set()
        self._left[name] = time.monotonic()
        return table

    def find(self, name: str) -> Table:
        """A game by its name.

        Raises:
            InvalidState: There is none, or not any more.
        """
        table = self._tables.get(name)
        if table is None:
            message = f"game {name[:40]!r} is not on this server any more: begin a new one"
            raise InvalidState(message)
        return table

    def watch(self, table: Table, watcher: Callable[[Table], None]) -> None:
        """Tell somebody of every change."""
        self._watchers[table.name].add(watcher)
        table.wake()

    def leave(self, name: str, watcher: Callable[[Table], None]) -> None:
        """Tell them no more; what nobody watches stands still until somebody comes back."""
        watchers = self._watchers.get(name)
        if watchers is None:
            return
        watchers.discard(watcher)
        if not watchers:
            self._left[name] = time.monotonic()
            self._tables[name].rest()
            asyncio.get_running_loop().call_later(LEFT_SECONDS, self._release, name)

    def _release(self, name: str) -> None:
        if name in self._tables and not self._watchers[name]:
            self._tables[name].release()

    def close(self) -> None:
        """Forget all games."""
        for name in list(self._tables):
            self._forget(name)

    def _changed(self, table: Table) -> None:
        for watcher in tuple(self._watchers.get(table.name, ())):
            watcher(table)

    def _sweep(self) -> None:
        """Forget games that nobody watches: the old ones, and if there is no room, the oldest."""
        idle = sorted(
            (name for name, watchers in self._watchers.items() if not watchers),
            key=self._left.__getitem__,
        )
        now = time.monotonic()
        for name in idle:
            is_old = now - self._left[name] > IDLE_SECONDS
            if is_old or len(self._tables) >= self.most:
                self._forget(name)
        if len(self._tables) >= self.most:
            message = (
                f"there are {len(self._tables):,} games on this server, and no more fit: close a "
                "page, or start the server with a larger --games"
            )
            raise InvalidConfig(message)

    def _forget(self, name: str) -> None:
        self._tables.pop(name).close()
        self._watchers.pop(name)
        self._left.pop(name)
