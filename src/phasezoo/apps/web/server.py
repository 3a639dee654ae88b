"""The web server: its routes, and one WebSocket a page."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from phasezoo.apps.web.access import Access
from phasezoo.apps.web.agents import Agents
from phasezoo.apps.web.bounds import Bounds
from phasezoo.apps.web.command import WebOptions
from phasezoo.apps.web.fields import LONGEST_MESSAGE
from phasezoo.apps.web.outbox import Outbox
from phasezoo.apps.web.page import Page
from phasezoo.apps.web.sessions import Sessions
from phasezoo.apps.web.storage import REPORT, Storage
from phasezoo.apps.web.workers import Workers
from phasezoo.errors import InvalidConfig

__all__ = ["MOST_PAGES", "make_app", "sent"]

STATIC = Path(__file__).parent / "static"

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}

REPORT_POLICY = (
    "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; font-src data:"
)
"""Policy of reports: they draw themselves, without an origin, and cannot reach the server."""

TOO_LONG, TRY_LATER = 1009, 1013
"""Codes that close a WebSocket: a message is too long; there are too many (RFC 6455; IANA)."""

ALLOWANCE = 120
"""Messages that a page may send at once, before it has to go slowly."""

PER_SECOND = 40.0
"""Messages a second that a page may send on and on."""

MOST_PAGES = 500
"""Pages that are open at once."""

MOST_WAITING = 500
"""Replies that wait for a page before nothing more is read from it."""


class Server:
    """Holds what all pages share.

    Args:
        settings: How it is started.
        pages: Pages that may be open at once.
        made: Agents by their texts, if some were made already.
    """

    def __init__(self, settings: WebOptions, pages: int, made: Mapping[str, Any]) -> None:
        self.workers = Workers(settings.threads, settings.move_seconds)
        self.sessions = Sessions(self.workers, settings.games)
        self.storage = Storage(settings.runs)
        bounds = Bounds(
            settings.move_seconds, settings.memory_mb, 2 * settings.threads, settings.engines
        )
        self.agents = Agents(
            settings.agents,
            trusting=settings.trusting,
            folders=self.storage.folders,
            bounds=bounds,
            made=made,
        )
        self._pages, self._most_pages = 0, pages

    async def talk(self, socket: WebSocket) -> None:
        """A page, for as long as it is open."""
        await socket.accept()
        if self._pages >= self._most_pages:
            await socket.close(TRY_LATER, "too many pages are open")
            return
        self._pages += 1
        outbox = Outbox()
        page = Page(self.sessions, self.agents, self.storage, outbox)
        sending = asyncio.create_task(_send(socket, outbox))
        try:
            await _listen(socket, page, outbox)
        finally:
            self._pages -= 1
            page.leave()
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sending

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Stop what thinks when the server stops."""
        yield
        self.sessions.close()
        self.workers.close()
        self.agents.bounds.close()


async def _listen(socket: WebSocket, page: Page, outbox: Outbox) -> None:
    """Read messages until the page leaves, no faster than is allowed and answers are taken."""
    allowance, seen = float(ALLOWANCE), time.monotonic()
    while True:
        try:
            message = await socket.receive()
        except WebSocketDisconnect:
            return
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        if text is None:
            data = message.get("bytes") or b""
            text = data.decode("utf-8", "replace") if len(data) <= LONGEST_MESSAGE else None
        if text is None or len(text) > LONGEST_MESSAGE:
            await socket.close(TOO_LONG, f"messages have at most {LONGEST_MESSAGE:,} bytes")
            return
        now = time.monotonic()
        allowance = min(allowance + (now - seen) * PER_SECOND, ALLOWANCE) - 1.0
        seen = now
        if allowance < 0.0:
            await asyncio.sleep(-allowance / PER_SECOND)
        while outbox.waiting >= MOST_WAITING:
            await asyncio.sleep(0.05)
        await page.hear(text)


async def _send(socket: WebSocket, outbox: Outbox) -> None:
    """Send messages until the page is gone."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
        while True:
            message = await outbox.next()
            await socket.send_text(sent(message))


def sent(message: dict[str, Any]) -> str:
    """A message as it is sent."""
    return json.dumps(message, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    """Numbers of NumPy, and tuples, as JSON knows them."""
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)


def make_app(
    settings: WebOptions, pages: int = MOST_PAGES, made: Mapping[str, Any] | None = None
) -> Starlette:
    """Return the application that an ASGI server runs."""
    server = Server(settings, pages, made or {})
    files = {path.name: path for path in STATIC.iterdir() if path.suffix in TYPES}

    async def page(request: Request) -> Response:
        return _file(files["index.html"])

    async def static(request: Request) -> Response:
        # Names are looked up, never joined to a path.
        found = files.get(request.path_params["name"])
        return Response(status_code=404) if found is None else _file(found)

    async def report(request: Request) -> Response:
        found = request.path_params
        try:
            path = server.storage.find(found["root"], found["path"])
        except InvalidConfig:
            return Response(status_code=404)
        if path.name != REPORT or not path.is_file():
            return Response(status_code=404)
        return FileResponse(
            path, media_type=TYPES[".html"], headers={"content-security-policy": REPORT_POLICY}
        )

    access = Middleware(
        Access, host=settings.host, port=settings.port, token=settings.token, names=settings.names
    )
    routes: Sequence[Any] = (
        Route("/", page),
        Route("/static/{name}", static),
        Route("/report/{root}/{path:path}", report),
        WebSocketRoute("/ws", server.talk),
    )
    app = Starlette(routes=list(routes), middleware=[access], lifespan=server.lifespan)
    app.state.server = server
    return app


def _file(path: Path) -> FileResponse:
    return FileResponse(path, media_type=TYPES[path.suffix])
