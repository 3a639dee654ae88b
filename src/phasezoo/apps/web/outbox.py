"""Messages for a page: replies in order, and of every game only its newest picture."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

Message = dict[str, Any]


class Outbox:
    """A page that is slow, or asleep, costs no memory: what is outdated is never sent."""

    def __init__(self) -> None:
        self._replies: deque[Message] = deque()
        self._newest: dict[str, Callable[[], Message | None]] = {}
        self._filled = asyncio.Event()

    def reply(self, message: Message) -> None:
        """Send this, in order."""
        self._replies.append(message)
        self._filled.set()

    def renew(self, key: str, make: Callable[[], Message | None]) -> None:
        """Send what ``make`` gives when it is its turn, in place of an earlier one of the key."""
        self._newest[key] = make
        self._filled.set()

    def drop(self, key: str) -> None:
        """Send nothing of this key."""
        self._newest.pop(key, None)

    @property
    def waiting(self) -> int:
        """Replies that are not sent yet."""
        return len(self._replies)

    async def next(self) -> Message:
        """The next message to send."""
        while True:
            if self._replies:
                return self._replies.popleft()
            if self._newest:
                key = next(iter(self._newest))
                made = self._newest.pop(key)()
                if made is not None:
                    return made
                continue
            self._filled.clear()
            await self._filled.wait()
