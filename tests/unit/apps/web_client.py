"""A page without a browser: messages to a server in this process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.testclient import TestClient

from phasezoo.apps.web.command import WebOptions
from phasezoo.apps.web.server import MOST_PAGES, make_app

BASE = "http://127.0.0.1:8017"


class Talker:
    """One open page."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._number = 0
        self.games: dict[str, dict[str, Any]] = {}
        """The newest that was pushed of each game."""

    def ask(self, what: str, /, **fields: Any) -> Any:
        """The answer to a request; an error of the server is raised as a ``Refused``."""
        self._number += 1
        self._socket.send_json({"do": what, "re": self._number, **fields})
        return self.answer(self._number)

    def answer(self, number: int | None) -> Any:
        while True:
            message = self.hear()
            if "push" not in message and message["re"] == number:
                if "error" in message:
                    raise Refused(message["error"])
                return message["ok"]

    def send(self, text: str) -> dict[str, Any]:
        """The error that anything sent is answered with."""
        self._socket.send_text(text)
        while True:
            message = self.hear()
            if "push" not in message:
                return message["error"]

    def refusal(self, what: str, fields: dict[str, Any]) -> dict[str, str] | None:
        """The error that a request is answered with; None if there is none."""
        try:
            self.ask(what, **fields)
        except Refused as error:
            return {"kind": error.kind, "message": str(error)}
        return None

    def hear(self) -> dict[str, Any]:
        message = self._socket.receive_json()
        if message.get("push") == "game":
            self.games[message["game"]] = message
        return message

    def new(self, game: str, players: list[str | None], **fields: Any) -> str:
        name = self.ask("new", game=game, players=players, **fields)["game"]
        self.wait(name, lambda shown: True)
        return name

    def wait(self, name: str, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """What is shown of a game as soon as something holds."""
        while name not in self.games or not holds(self.games[name]):
            self.hear()
        return self.games[name]

    def play(self, name: str, move: str) -> dict[str, Any]:
        """Play an action by its name."""
        shown = self.games[name]
        actions = {label: action for action, label in shown["board"]["legal"]}
        ply = shown["ply"]
        self.ask("play", game=name, ply=ply, action=actions[move])
        return self.wait(name, lambda shown: shown["ply"] > ply)


class Refused(Exception):
    """The server's error."""

    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(error["message"])
        self.kind = error["kind"]


def client(**settings: Any) -> TestClient:
    given = {"threads": 1, "trusting": True, **settings}
    pages = given.pop("pages", MOST_PAGES)
    return TestClient(make_app(WebOptions(**given), pages), base_url=BASE)


@contextmanager
def talking(server: TestClient, **headers: str) -> Iterator[Talker]:
    with server.websocket_connect(f"ws{BASE[4:]}/ws", headers=headers) as socket:
        yield Talker(socket)
