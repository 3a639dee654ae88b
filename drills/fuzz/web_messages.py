"""Messages of a page of the board: streams of requests with one or several changed."""

import asyncio
import json
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from drills.fuzz.mutations import mutated_json
from drills.fuzz.target import Target
from phasezoo import games, training
from phasezoo.apps.web.agents import Agents
from phasezoo.apps.web.outbox import Outbox
from phasezoo.apps.web.page import Page
from phasezoo.apps.web.server import sent
from phasezoo.apps.web.sessions import Sessions
from phasezoo.apps.web.storage import SAMPLES, Storage
from phasezoo.apps.web.workers import MORE_SECONDS, Workers

SEATS: Sequence[str | None] = (None, None, "random", "mcts:nodes=10", "uct:simulations=5", "")
POSITIONS = {
    "chess": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "krk": "8/8/8/8/8/2k5/8/K6R w - - 0 1",
    "connect-four": "4453",
    "pommerman-1v1": "{}",
}
NAME = "the name of the game"
"""Stands in a message for the name of the game that the stream began."""


def target(folder: Path) -> Target:
    """Every request of a page, on one page a stream, with the answers that it is sent."""
    folder = folder / "stored"  # messages name it: the same draw gives the same messages
    folder.mkdir(exist_ok=True)
    training.GameStore.sample("krk").subset(range(3)).save(folder / "runs.parquet")
    logging.getLogger("phasezoo.web").setLevel(logging.CRITICAL)  # failures are findings here
    runner = asyncio.Runner()
    workers = Workers(2, most_seconds=0.05)
    sessions, storage = Sessions(workers, most=50), Storage([folder])
    agents = Agents(trusting=False, folders=storage.folders)
    names = games.names()

    def drawn(draw: Random) -> list[str]:
        messages = [_new(draw, names)]
        messages += [_request(draw, folder.name) for _ in range(draw.randrange(1, 6))]
        changed = {draw.randrange(len(messages)) for _ in range(draw.choice((1, 1, 2, 4)))}
        return [
            mutated_json(draw, message) if at in changed else json.dumps(message)
            for at, message in enumerate(messages)
        ]

    async def talk(messages: list[str]) -> None:
        outbox = Outbox()
        page = Page(sessions, agents, storage, outbox)
        name = NAME
        for text in messages:
            await page.hear(text.replace(NAME, name))
            for told in await _answers(outbox):
                name = _checked(told, name)
        page.leave()
        sessions.close()

    def closed() -> None:
        workers.close()
        runner.close()  # cancels the tasks of searches that go on
        latest = time.monotonic() + MORE_SECONDS
        while workers.busy and time.monotonic() < latest:
            time.sleep(0.01)
        assert not workers.busy, "a search goes on that nobody waits for"

    return Target(drawn, lambda given: runner.run(talk(given)), (), closed, len)


async def _answers(outbox: Outbox) -> list[dict[str, Any]]:
    """What waits to be sent, as the page reads it."""
    found = []
    while True:
        waiting = asyncio.ensure_future(outbox.next())
        await asyncio.sleep(0)
        if not waiting.done():
            waiting.cancel()
            return found
        found.append(json.loads(sent(waiting.result()), parse_constant=_no_json))


def _no_json(name: str) -> float:
    message = f"{name} was sent, which no browser reads"
    raise AssertionError(message)


def _checked(told: dict[str, Any], name: str) -> str:
    """Refuse an answer that nobody meant; the name of the game that is played now."""
    error = told.get("error") or {}
    assert error.get("kind") != "InternalError", "the server failed"
    assert told.get("message") != "it cannot be shown", "a game cannot be shown"
    answer = told.get("ok")
    return answer["game"] if isinstance(answer, dict) and "game" in answer else name


def _new(draw: Random, names: Sequence[str]) -> dict[str, Any]:
    """A request for a game."""
    game = draw.choice(names)
    asked: dict[str, Any] = {"do": "new", "re": 1, "game": game, "seed": draw.randrange(99)}
    asked["players"] = [draw.choice(SEATS) for _ in range(games.make(game).num_players)]
    if game in POSITIONS and draw.random() < 0.5:
        asked["position"] = POSITIONS[game]
    if draw.random() < 0.3:
        asked["gate"] = draw.choice(("plies:8", "none", "material:20,10"))
    if draw.random() < 0.2:
        asked["options"] = {"fog": True}
    return asked


def _request(draw: Random, root: str) -> dict[str, Any]:
    """Another request about it."""
    asked = dict(draw.choice((
        {"do": "play", "ply": draw.randrange(3), "action": draw.choice((0, 3, 5, 877, 4671))},
        {"do": "undo", "to": draw.choice((None, 0, 1))},
        {"do": "set", "position": draw.choice(list(POSITIONS.values())), "seed": 3},
        {"do": "show", "at": draw.choice((None, 0, 1)), "flipped": True, "viewer": None},
        {"do": "assign", "player": draw.randrange(2), "agent": draw.choice(SEATS)},
        {"do": "run", "on": draw.random() < 0.5, "pace": 0.0},
        {"do": "look", "on": draw.random() < 0.7, "player": 0, "agent": "mcts:nodes=10"},
        {"do": "gates", "gate": "plies:4", "other_gate": draw.choice(("plies:9", "", "lichess"))},
        {"do": "text", "kind": draw.choice(("pgn", "fen", "json", "position"))},
        {"do": "games", "root": draw.choice((root, SAMPLES)), "path": "krk", "first": 0},
        {"do": "open", "root": SAMPLES, "path": "krk", "number": draw.randrange(3)},
        {"do": "open", "root": root, "path": "runs.parquet", "number": 0},
        {"do": "storage", "root": root}, {"do": "training", "root": root, "path": "metrics.csv"},
        {"do": "paste", "kind": "chess", "position": draw.choice(("1. e4 e5", "4453"))},
        {"do": "form", "agent": draw.choice(("mcts:nodes=10", "uct"))},
        {"do": "spell", "name": "mcts", "options": {"nodes": "10"}},
        {"do": "join"}, {"do": "leave"}, {"do": "hurry"}, {"do": "hello"},
    )))  # fmt: skip
    return {"re": 2, "game": NAME, **asked}
