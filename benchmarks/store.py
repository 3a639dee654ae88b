"""Stored games: writing and opening them, and training batches of several games."""

import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np

from benchmarks.common import Row, alone, sized
from phasezoo import games
from phasezoo.games.random_play import random_action
from phasezoo.training import EpisodeStore, GameStore, Sampler, StoreWriter

BATCH, BATCHES = sized((1024, 20), (32, 1))
GAMES = sized(2_000, 20)
"""Of Connect Four."""
CHESS = sized(None, 20)
"""Of the sample games of chess; None: all."""
ENTRIES = 30
"""Actions that a search visited in each position."""


def rows() -> list[Row]:
    """Rows of batches and writing, one thread each."""
    chess, four = GameStore.sample("chess"), connect_four()
    chess = chess.subset(np.arange(len(chess))[:CHESS])
    with tempfile.TemporaryDirectory() as folder:
        places = (Path(folder, str(number)) for number in count())
        chess.save(Path(folder, "chess"))
        return [
            alone(
                f"sampler, chess, v2 planes, policies of {ENTRIES} actions",
                "positions/s",
                "≥ 100 k",
                drawing(searched(chess)),
            ),
            alone("sampler, Connect Four", "positions/s", "≥ 300 k", drawing(four)),
            alone(
                "sampler, Pommerman, turned",
                "positions/s",
                "≥ 300 k",
                drawing(EpisodeStore("pommerman-ffa", sized(50_000, 500), seed=1)),
            ),
            alone(
                "writer, games of chess of another store",
                "games/s",
                "≥ 20 k",
                lambda: extending(chess, next(places)),
            ),
            alone(
                "writer, games of Connect Four one by one, played through",
                "games/s",
                "≥ 20 k",
                lambda: adding(four, next(places)),
            ),
            alone(
                "writer, games of chess one by one, played through",
                "games/s",
                "≥ 20 k",
                lambda: adding(chess, next(places)),
            ),
            alone(
                "opening a store of chess",
                "games/s",
                "",
                lambda: len(GameStore.open(Path(folder, "chess"))),
            ),
        ]


def connect_four() -> GameStore:
    """Random games."""
    rng, start = np.random.default_rng(1), games.make("connect-four").initial_state()
    found = []
    for _ in range(GAMES):
        state, columns = start, []
        while not state.is_terminal:
            columns.append(random_action(state, rng))
            state = state.play(columns[-1])
        found.append({"moves": columns})
    return GameStore.from_dataset(found, "connect-four")


def searched(store: GameStore) -> GameStore:
    """The same games with visit counts drawn at random."""
    positions, rng = store.num_positions, np.random.default_rng(2)
    visits = (
        np.arange(positions + 1) * ENTRIES,
        rng.integers(0, store.game.num_actions, positions * ENTRIES),
        rng.integers(1, 100, positions * ENTRIES),
    )
    columns = (store.actions, store.offsets, store.returns)
    return GameStore(store.game, *columns, visits=visits)


def drawing(store: GameStore | EpisodeStore) -> Callable[[], float]:
    """Batches in a random order."""
    table = store.positions()
    sampler = Sampler(store, table, batch_size=BATCH, symmetries=store.is_symmetric, threads=1)

    def work() -> float:
        for index in range(BATCHES):
            sampler.batch(index)
        return BATCHES * BATCH

    return work


def extending(store: GameStore, folder: Path) -> float:
    """All games at once."""
    with StoreWriter(folder, store.game) as writer:
        writer.extend(store)
    return len(store)


def adding(store: GameStore, folder: Path) -> float:
    """Each game by itself."""
    with StoreWriter(folder, store.game) as writer:
        for game in range(len(store)):
            low, high = store.offsets[game : game + 2]
            writer.add(actions=store.actions[low:high], returns=store.returns[game])
    return len(store)
