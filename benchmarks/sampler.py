"""Training batches: planes, action, result and phase of positions drawn from stored games."""

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.common import Row, alone, compared, named, sized
from phasezoo import _core
from phasezoo.training import EpisodeStore, GameStore, Sampler

if TYPE_CHECKING:
    import chess

BATCH, BATCHES = sized((1024, 40), (32, 1))
GAMES = sized(None, 20)
"""Of the sample games; None: all."""
EPISODES = sized(100_000, 500)
POLICY = 30
PEER_POSITIONS = sized(200, 5)


def pieces(board: "chess.Board") -> np.ndarray:
    """The twelve planes of pieces alone: the least that a Python pipeline has to make."""
    planes = np.zeros((12, 8, 8), dtype=np.float32)
    mirror = 0 if board.turn else 56
    for square, piece in board.piece_map().items():
        seen = square ^ mirror
        plane = piece.piece_type - 1 + 6 * (piece.color != board.turn)
        planes[plane, seen >> 3, seen & 7] = 1.0
    return planes


def rows() -> list[Row]:
    """One row a number of threads, beside python-chess replaying games and filling piece planes."""
    store = GameStore.sample("chess")
    store = store.subset(np.arange(len(store))[:GAMES])
    table = store.positions("lichess")
    chosen = np.random.default_rng(1).permutation(len(table))[:PEER_POSITIONS]
    paths = [
        store.records.states(game)[ply].moves
        for game, ply in zip(table.game[chosen], table.ply[chosen], strict=True)
    ]

    def ours(sampler: Sampler) -> float:
        for index in range(BATCHES):
            sampler.batch(index)
        return BATCHES * BATCH

    def theirs() -> float:
        import chess

        for moves in paths:
            board = chess.Board()
            for move in moves:
                board.push_uci(move)
            pieces(board)
        return PEER_POSITIONS

    return [
        *(alone_row(*each) for each in others(store)),
        *(
            compared(
                f"sampler, v2 planes and targets, {threads} thread{'s' * (threads > 1)}",
                "positions/s",
                "≥ 100 k positions/s",
                lambda threads=threads: ours(
                    Sampler(store, table, batch_size=BATCH, history_dropout=0.1, threads=threads)
                ),
                f"{named('python-chess', 'chess')}, piece planes only, 1 thread",
                theirs,
            )
            for threads in (1, 2)
        ),
    ]


def others(store: GameStore) -> list[tuple[str, str, GameStore]]:
    """Stores beside the sample games, with what they are called and what we set out to reach."""
    count = len(store.actions)
    visits = (
        np.arange(count + 1, dtype=np.int64) * POLICY,
        np.tile(np.arange(POLICY, dtype=np.int32), count),
        np.ones(count * POLICY, dtype=np.int32),
    )
    searched = GameStore("chess", store.actions, store.offsets, store.returns, visits=visits)
    _, *columns = _core.play_episodes("connect-four", EPISODES, seed=1)
    return [
        (f"chess with policies of {POLICY}", "100 k", searched),
        ("Connect Four", "300 k", GameStore("connect-four", *columns)),
        ("Pommerman", "300 k", EpisodeStore("pommerman-ffa", EPISODES, seed=1)),
    ]


def alone_row(name: str, aim: str, store: GameStore) -> Row:
    """Return the row of one thread."""
    sampler = Sampler(store, store.positions(), batch_size=BATCH, symmetries=True, threads=1)

    def work() -> float:
        for index in range(BATCHES):
            sampler.batch(index)
        return BATCHES * BATCH

    return alone(f"sampler, {name}, 1 thread", "positions/s", f"≥ {aim} positions/s", work)
