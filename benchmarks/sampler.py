"""Training batches: planes, action, result and phase of positions drawn from stored games."""

import chess
import numpy as np

from benchmarks.common import Row, compared
from phasezoo.training.sampler import Sampler
from phasezoo.training.store import GameStore

BATCH = 1024
BATCHES = 40
PEER_POSITIONS = 200


def pieces(board: chess.Board) -> np.ndarray:
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
        for moves in paths:
            board = chess.Board()
            for move in moves:
                board.push_uci(move)
            pieces(board)
        return PEER_POSITIONS

    return [
        compared(
            f"sampler, v2 planes and targets, {threads} thread{'s' * (threads > 1)}",
            "positions/s",
            "≥ 100 k positions/s",
            lambda threads=threads: ours(
                Sampler(store, table, batch_size=BATCH, history_dropout=0.1, threads=threads)
            ),
            f"python-chess {chess.__version__}, piece planes only, 1 thread",
            theirs,
        )
        for threads in (1, 2)
    ]
