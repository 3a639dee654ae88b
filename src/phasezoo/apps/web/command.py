"""``phasezoo web``: the board in the browser."""

import contextlib
import os
import secrets
import socket
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from annotated_types import Interval

from phasezoo.errors import InvalidConfig, needs
from phasezoo.specs import Argument

if TYPE_CHECKING:
    from phasezoo.apps.web.server import Server

LONGEST_SEARCH = 3_600.0

SPARE = 100
"""Connections beyond those of the pages that may be open: of files, and of who is refused."""

END_SECONDS = 0.5
"""Time for searches to end after Ctrl-C."""

INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended."""

RUNS = Path("runs")
"""Where runs usually lie."""


@dataclass(frozen=True)
class WebOptions:
    """Play, and watch searches think, in the browser.

    The page is served on this machine alone unless --host says otherwise; then it asks for a token.
    """

    host: str = "127.0.0.1"
    """Address to listen at."""
    port: Annotated[int, Interval(ge=0, le=65_535)] = 8017
    """Port to listen at; 0: any that is free."""
    token: str | None = None
    """Secret that lets pages in (none: no secret on this machine, elsewhere a new one).
    Without it, others who have an account on this machine may play too."""
    names: Annotated[tuple[str, ...], Argument(name="name", metavar="NAME ...")] = ()
    """Further names by which browsers reach this server, such as that of a proxy, at any port."""
    agents: Annotated[tuple[str, ...], Argument(metavar="TEXT ...")] = ()
    """Agents to suggest first, as short texts such as "m2cts:experts=runs/x,nodes=400"."""
    runs: Annotated[tuple[Path, ...], Argument(metavar="DIR ...")] = ()
    """Folders of runs, stores and PGN that pages may look into (none: runs, if there is one)."""
    trusting: Annotated[bool, Argument(name="trust", aliases=("any_agent",))] = False
    """Let pages name any folder, and agents that import modules, start programs or load pickled
    objects. With --token, pages on this machine always may."""
    threads: Annotated[int, Interval(ge=1, le=256)] = 2
    """Agents that play at once, and the same number that analyse; the others wait."""
    games: Annotated[int, Interval(ge=1, le=1_000_000)] = 2_000
    """Games at once."""
    move_seconds: Annotated[float, Interval(ge=0.1, le=LONGEST_SEARCH)] = 60.0
    """The longest that a search goes on."""
    memory_mb: Annotated[int, Interval(ge=16, le=1_000_000)] = 2_048
    """MiB for the search trees and caches of all games together."""
    engines: Annotated[int, Interval(ge=0, le=1_000)] = 8
    """Processes of engines at once."""

    def run(self) -> int:
        """Serve until Ctrl-C."""
        made = self._make_agents()
        with needs("phasezoo web needs starlette and uvicorn", "web"):
            import uvicorn

            from phasezoo.apps.web.access import bytes_of, is_loopback
            from phasezoo.apps.web.connections import configured
            from phasezoo.apps.web.server import MOST_PAGES, make_app
        from phasezoo.registration import register_all

        register_all()
        is_local = is_loopback(self.host)
        token = self.token
        usual = (RUNS,) if not self.runs and RUNS.is_dir() else ()
        if token is None and not is_local:
            token = secrets.token_urlsafe(18)
        with listening(self.host, self.port) as listener:
            port = listener.getsockname()[1]
            settings = replace(
                self,
                port=port,
                token=token,
                trusting=self.trusting or (is_local and self.token is not None),
                runs=(*self.runs, *usual),
            )
            app = make_app(settings, made=made)
            config = configured(app, MOST_PAGES + SPARE)
            shown = f"[{self.host}]" if ":" in self.host else self.host
            ticket = "" if token is None else f"/?token={quote(bytes_of(token), safe='')}"
            sys.stdout.write(f"phasezoo: http://{shown}:{port}{ticket}  (Ctrl-C ends it)\n")
            sys.stdout.flush()
            try:
                uvicorn.Server(config).run(sockets=[listener])
            finally:
                _end(app.state.server)
        return 0

    def _make_agents(self) -> dict[str, Any]:
        """Return the agents by their texts; refuse a token that is too short."""
        if self.token is not None and len(self.token) < 8:
            message = "--token: give at least 8 letters, or leave it out for one that is drawn"
            raise InvalidConfig(message)
        from phasezoo import agents

        return {text: agents.make(text) for text in self.agents}


def _end(server: "Server") -> None:
    """End this process at once if a thread still thinks or loads.

    The interpreter cannot end while native code goes on in such threads.
    """
    waited = time.monotonic() + END_SECONDS
    while server.workers.busy and time.monotonic() < waited:
        time.sleep(0.02)
    if server.workers.busy:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Args:
        host: An address of this machine, or a name of it.
        port: The port; 0: any that is free.
    """
    try:
        kind, _, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with contextlib.ExitStack() as opened:
            # The event loop sends small answers at once only if it knows that this is TCP.
            listener = opened.enter_context(socket.socket(kind, socket.SOCK_STREAM, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            listener.bind(address)
            listener.listen(2048)
            opened.pop_all()
    except OSError as error:
        message = f"--host {host} --port {port}: {error.strerror}; choose another port, or --port 0"
        raise InvalidConfig(message) from error
    return listener
