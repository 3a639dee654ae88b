"""Counting the positions at a depth: move generation alone."""

from benchmarks.common import Row, compared, sized
from phasezoo import _core

DEPTH, PEER_DEPTH = sized((5, 3), (3, 2))
MIDGAME = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def ours() -> float:
    """The plies from the usual test position; five have 193,690,690 positions."""
    return _core.perft("chess", MIDGAME, DEPTH, 1)


def python_chess() -> float:
    """Fewer plies of the same with python-chess; the last ply's moves are counted, not played."""
    import chess

    def count(board: chess.Board, depth: int) -> int:
        if depth == 1:
            return board.legal_moves.count()
        nodes = 0
        for move in board.legal_moves:
            board.push(move)
            nodes += count(board, depth - 1)
            board.pop()
        return nodes

    return count(chess.Board(MIDGAME), PEER_DEPTH)


def rows() -> list[Row]:
    """One row: positions a second, one thread."""
    return [
        compared(
            "perft chess, one thread",
            "nodes/s",
            "≥ 200 M",
            ours,
            "python-chess",
            python_chess,
            repeats=3,
        )
    ]
