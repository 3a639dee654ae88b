"""Many games at once on this machine: each goes on to its end, and none mixes with another."""

import asyncio
import json

import numpy as np
import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("websockets")

from web_serving import served
from websockets.asyncio.client import connect

from phasezoo import games

GAME = games.make("connect-four")


async def play_games(address: str, number: int, count: int) -> list[dict]:
    """A page that plays ``count`` games at once to their ends; what was shown of each last."""
    rng = np.random.default_rng(number)
    shown: dict[str, dict] = {}
    answered: set[tuple[str, int]] = set()
    async with connect(f"{address}/ws", max_size=2**22) as socket:

        async def send(**message: object) -> None:
            await socket.send(json.dumps(message))

        for _ in range(count):
            await send(do="new", game="connect-four", players=[None, "random"], seed=number)
        while len(shown) < count or not all(each["over"] for each in shown.values()):
            message = json.loads(await asyncio.wait_for(socket.recv(), 120))
            assert "error" not in message, message
            if message.get("push") != "game":
                continue
            name = message["game"]
            shown[name] = message
            here = (name, message["ply"])
            if message["board"]["actor"] == 0 and here not in answered:
                answered.add(here)
                action, _ = message["board"]["legal"][rng.integers(len(message["board"]["legal"]))]
                await send(do="play", game=name, ply=message["ply"], action=action)
    return list(shown.values())


async def play_all(address: str, pages: int, games_each: int) -> list[dict]:
    found = await asyncio.gather(
        *(play_games(address, number, games_each) for number in range(pages))
    )
    return [shown for page in found for shown in page]


def check(pages: int, games_each: int) -> None:
    with served(threads=2, pages=pages, games=pages * games_each) as server:
        ended = asyncio.run(play_all(server.address.replace("http", "ws"), pages, games_each))
    assert len(ended) == len({each["game"] for each in ended}) == pages * games_each
    for each in ended:
        state = GAME.initial_state()
        for move in each["moves"]:
            state = state.play(int(move) - 1)
        assert state.is_terminal
        assert each["over"]["reason"] == state.outcome.reason
    assert len({tuple(each["moves"]) for each in ended}) > len(ended) // 2


def test_sixty_games_at_once():
    check(pages=12, games_each=5)


@pytest.mark.slow
def test_a_thousand_games_at_once():
    check(pages=200, games_each=5)
