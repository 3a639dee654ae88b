"""python-chess's boards of the games of the chess family, by our names."""

import chess
import chess.variant

BOARDS = {
    "chess": chess.Board,
    "chess960": lambda fen: chess.Board(fen, chess960=True),
    "atomic": chess.variant.AtomicBoard,
    "crazyhouse": chess.variant.CrazyhouseBoard,
    "krk": chess.Board,
}


def comparable(fen):
    """A FEN; with pockets, without the counters (drops count as pawn moves to some) and sorted."""
    if "[" not in fen:
        return fen
    placement, side, castling, en_passant = fen.split()[:4]
    board, pocket = placement.rstrip("]").split("[")
    return board, sorted(pocket), side, castling, en_passant
