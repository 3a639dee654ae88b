"""``phasezoo web``: the board in the browser."""

import contextlib
import secrets
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from phasezoo.errors import InvalidConfig, MissingDependency

__all__ = ["WebOptions", "listening"]

LONGEST_SEARCH = 3_600.0

RUNS = Path("runs")
"""Where runs usually lie."""


@dataclass(frozen=True)
class WebOptions:
    """Play, and watch searches think, in the browser.

    The page is served on this machine alone unless --host says otherwise; then it asks for a token.
    """

    host: str = "127.0.0.1"
    """Address to listen at."""
    port: int = 8017
    """Port to listen at; 0: any that is free."""
    token: str | None = None
    """What pages have to know to be let in (none: nothing on this machine, elsewhere a new one)."""
    name: Annotated[tuple[str, ...], arg(metavar="NAME")] = ()
    """Further names by which browsers reach this server, such as that of a proxy, at any port."""
    agents: Annotated[tuple[str, ...], arg(metavar="TEXT")] = ()
    """Agents to suggest first, as short texts such as "m2cts:experts=runs/x,nodes=400"."""
    runs: Annotated[tuple[Path, ...], arg(metavar="DIR")] = ()
    """Folders of runs, stores and PGN that pages may look into (none: runs, if there is one)."""
    any_agent: bool = False
    """Let pages name agents that import modules, start programs or load pickled objects; on this
    machine they always may."""
    threads: int = 2
    """Agents that play at once, and as many that analyse; the others wait for their turn."""
    games: int = 2_000
    """Games at once."""
    move_seconds: float = 60.0
    """The longest that a search goes on."""

    def run(self) -> int:
        """Serve until Ctrl-C.

        Raises:
            InvalidConfig: An option is out of range, or the address cannot be listened at.
            MissingDependency: The extra ``web`` is not installed.
        """
        self._check()
        try:
            import uvicorn

            from phasezoo.apps.web.guard import is_loopback
            from phasezoo.apps.web.server import Settings, make_app
        except ImportError as error:
            message = "phasezoo web needs starlette and uvicorn: pip install 'phasezoo[web]'"
            raise MissingDependency(message) from error
        from phasezoo.apps.web.fields import LONGEST_MESSAGE
        from phasezoo.registration import register_all

        register_all()
        is_local = is_loopback(self.host)
        token = self.token
        usual = (RUNS,) if not self.runs and RUNS.is_dir() else ()
        if token is None and not is_local:
            token = secrets.token_urlsafe(18)
        with listening(self.host, self.port) as listener:
            port = listener.getsockname()[1]
            settings = Settings(
                host=self.host,
                port=port,
                token=token,
                names=self.name,
                agents=self.agents,
                trusting=is_local or self.any_agent,
                threads=self.threads,
                games=self.games,
                runs=(*self.runs, *usual),
                move_seconds=self.move_seconds,
            )
            config = uvicorn.Config(
                make_app(settings),
                log_level="warning",
                ws_max_size=LONGEST_MESSAGE,
                ws="websockets-sansio",
                timeout_graceful_shutdown=2,
                server_header=False,
            )
            shown = f"[{self.host}]" if ":" in self.host else self.host
            ticket = "" if token is None else f"/?token={token}"
            sys.stdout.write(f"phasezoo: http://{shown}:{port}{ticket}  (Ctrl-C ends it)\n")
            sys.stdout.flush()
            uvicorn.Server(config).run(sockets=[listener])
        return 0

    def _check(self) -> None:
        """Refuse numbers that are out of range.

        Raises:
            InvalidConfig: One is.
        """
        for name, least, most in (
            ("port", 0, 65_535),
            ("threads", 1, 256),
            ("games", 1, 1_000_000),
            ("move_seconds", 0.1, LONGEST_SEARCH),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                option = name.replace("_", "-")
                message = f"--{option} {value}: must be from {least:g} to {most:g}"
                raise InvalidConfig(message)
        if self.token is not None and len(self.token) < 8:
            message = "--token: give at least 8 letters, or leave it out for one that is drawn"
            raise InvalidConfig(message)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Args:
        host: An address of this machine, or a name of it.
        port: The port; 0: any that is free.

    Raises:
        InvalidConfig: The address is none of this machine, or taken.
    """
    try:
        kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with contextlib.ExitStack() as opened:
            listener = opened.enter_context(socket.socket(kind, socket.SOCK_STREAM))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(2048)
            opened.pop_all()
    except OSError as error:
        message = f"--host {host} --port {port}: {error.strerror}; choose another port, or --port 0"
        raise InvalidConfig(message) from error
    return listener
