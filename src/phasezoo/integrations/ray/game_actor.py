"""Player of games in a process of its own; it knows nothing of Ray."""

import io
import queue
import tarfile
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from phasezoo.inference.counts import Counts
from phasezoo.training.selfplay.generation import Generation, Players
from phasezoo.training.selfplay.recording import PlayedGame

WAITING = 8
"""Games that may wait to be taken; who plays waits then."""


def packed(folder: Path) -> bytes:
    """A version's directory as bytes, which :class:`GameActor` takes."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.add(folder, arcname=".")
    return data.getvalue()


class GameActor:
    """Plays games by their numbers with the versions that it is sent.

    Args:
        generation: How games are played.
        players: Makes the agents of versions.
    """

    def __init__(self, generation: Generation, players: Players) -> None:
        self._generation = generation
        self._players = players
        self._version: tuple[int, bytes] | None = None
        self._agent: Any = None

    def play(
        self, version: int, data: bytes, numbers: Sequence[int]
    ) -> Iterator[PlayedGame | Counts]:
        """Every game as it ends, and at last what inference took.

        Who takes them decides the pace: :data:`WAITING` of them wait at most.
        """
        if (version, data) != self._version:  # a number may be used again, for another network
            self._agent = self._made(data)
            self._version = version, data
        ended: queue.Queue[PlayedGame | Counts | BaseException] = queue.Queue(WAITING)
        closed = threading.Event()

        def finished(played: PlayedGame) -> None:
            while not closed.is_set():
                try:
                    ended.put(played, timeout=0.5)
                except queue.Full:
                    continue
                return
            raise _Closed

        def work() -> None:
            try:
                last: Counts | BaseException = self._generation.play(self._agent, numbers, finished)
            except _Closed:
                return
            except BaseException as error:  # handed to who takes the games
                last = error
            ended.put(last)

        worker = threading.Thread(target=work, name="phasezoo-games", daemon=True)
        worker.start()
        try:
            while True:
                item = ended.get()
                if isinstance(item, BaseException):
                    raise item
                yield item
                if isinstance(item, Counts):
                    return
        finally:
            closed.set()

    def _made(self, data: bytes) -> Any:
        """The agent of a version."""
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                archive.extractall(folder, filter="data")
            evaluator = self._players.evaluator(Path(folder))
        return self._players.searching(evaluator)


class _Closed(Exception):
    """Nobody takes the games any more."""
