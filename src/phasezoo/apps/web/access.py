"""Who may speak to the server: the right host, the right origin, and off this machine a token."""

import hashlib
import hmac
import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "phasezoo_token"

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""Policy of pages: they load their own files alone. Pictures of games carry styles, no scripts."""

HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}

POLICY_VIOLATION = 1008
"""The code that closes a refused WebSocket (RFC 6455, section 7.4.1)."""


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def bytes_of(token: str) -> bytes:
    """A token as browsers send it: in UTF-8, or whatever bytes the command line had."""
    return token.encode("utf-8", "surrogateescape")


class Access:
    """Lets requests pass that are meant for this server, and adds headers to what is answered.

    A page of another site can make a browser send requests here, but not with this server's origin
    (``Origin``); and it can give its own name this machine's address, but then the browser says
    that name (``Host``).

    Args:
        app: What is guarded.
        host: The address that the server listens at.
        port: Its port.
        token: What who asks has to know; None: nothing.
        names: Further names by which the server is reached, at any port.
    """

    def __init__(
        self, app: ASGIApp, *, host: str, port: int, token: str | None, names: Sequence[str] = ()
    ) -> None:
        self._app = app
        self._token = None if token is None else bytes_of(token)
        # Cookies hold few characters, and need not hold the token itself.
        self._ticket = hashlib.sha256(b"phasezoo web\0" + (self._token or b"")).hexdigest()
        self._port = port
        self._is_local = is_loopback(host)
        self._given = {name.lower() for name in names}
        self._names = {"localhost", host.strip("[]").lower()}
        if not self._is_local:
            self._names.add(socket.gethostname().lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(refusal, scope, receive, send)
            return
        if self._token is not None and not self._knows(headers):
            await self._ask_token(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = {key for key, _ in message["headers"]}
                more = {"content-security-policy": PAGE_POLICY, **HEADERS}
                message["headers"] = [
                    *message["headers"],
                    *((k.encode(), v.encode()) for k, v in more.items() if k.encode() not in found),
                ]
            await send(message)

        await self._app(scope, receive, sending)

    def _refusal(self, scope: Scope, headers: Headers) -> str | None:
        """Why a request may not come from its origin or go to its host; None if it may."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return "this server does not go by that name: see phasezoo web --help, --name"
        origins = headers.getlist("origin")
        if not origins:
            return None  # not sent by a browser, or to open a page
        try:
            split = urlsplit(origins[0])
        except ValueError:  # such as a bracket that nothing closes
            return "its Origin is no address"
        is_own = split.scheme in ("http", "https") and split.netloc.lower() == hosts[0].lower()
        if len(origins) > 1 or not is_own or split.path or split.query or split.fragment:
            return "requests from pages of other sites are refused"
        return None

    def _is_own(self, host: str) -> bool:
        """Whether a ``Host`` means this server. An address is nobody's name, so any may stand."""
        try:
            split = urlsplit(f"//{host}")
            name, port = (split.hostname or "").lower(), split.port
        except ValueError:
            return False
        if name in self._given:
            return True
        if self._is_local and port is not None and port != self._port:
            return False
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback if self._is_local else True

    def _knows(self, headers: Headers) -> bool:
        assert self._token is not None
        given = headers.get("authorization", "").removeprefix("Bearer ").encode("latin-1")
        # A client may write the header in Latin-1 or in UTF-8, as browsers do.
        found = [given, given.decode("latin-1").encode()]
        # Other programs at this address have cookies of any form, which are sent here too.
        kept = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        is_kept = hmac.compare_digest(kept.encode(), self._ticket.encode())
        return is_kept or any(hmac.compare_digest(each, self._token) for each in found)

    async def _ask_token(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take the token out of the address and keep a cookie, or refuse."""
        assert self._token is not None
        # In Latin-1 every byte is one letter, and back.
        query = parse_qsl(scope["query_string"].decode("latin-1"), encoding="latin-1")
        given = dict(query).get("token", "").encode("latin-1")
        is_page = scope["type"] == "http" and scope["path"] == "/"
        if not is_page or not hmac.compare_digest(given, self._token):
            reason = "a token is needed: open the address that `phasezoo web` printed"
            await _refuse(reason, scope, receive, send, status=401)
            return
        response = RedirectResponse("/", status_code=303, headers=HEADERS)
        response.set_cookie(COOKIE, self._ticket, httponly=True, samesite="strict", path="/")
        await response(scope, receive, send)


async def _refuse(
    reason: str, scope: Scope, receive: Receive, send: Send, status: int = 403
) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": reason[:120]})
        return
    await PlainTextResponse(f"{reason}\n", status, headers=HEADERS)(scope, receive, send)
