"""A server of the board in this process, on a free port of this machine."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from phasezoo.apps.web.command import WebOptions, listening
from phasezoo.apps.web.connections import configured
from phasezoo.apps.web.server import MOST_PAGES, make_app
from phasezoo.registration import register_all


class Served:
    """A server that runs in a thread."""

    def __init__(self, most: int = 600, seconds: float = 10.0, **settings: Any) -> None:
        register_all()
        self._listener = listening("127.0.0.1", 0)
        self.port = self._listener.getsockname()[1]
        given = {"trusting": True, **settings}
        pages = given.pop("pages", MOST_PAGES)
        self.app = make_app(WebOptions(port=self.port, **given), pages)
        config = configured(self.app, most, seconds)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._thread.start()
        ends = time.monotonic() + 30
        while not self._server.started:
            assert time.monotonic() < ends, "the server did not start"
            time.sleep(0.01)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self._listener.close()

    def _run(self) -> None:
        self._server.run(sockets=[self._listener])


@contextmanager
def served(**settings: Any) -> Iterator[Served]:
    server = Served(**settings)
    server.start()
    try:
        yield server
    finally:
        server.stop()
