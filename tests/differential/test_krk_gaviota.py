"""The table of king and rook against king equals Gaviota's, for every legal position."""

from functools import cache

import chess
import pytest

from phasezoo import games
from phasezoo.errors import InvalidFen

KRK = games.make("krk")
# Any king can be moved here by the symmetries of the board: files a to d, not above the diagonal.
TRIANGLE = [chess.square(file, rank) for file in range(4) for rank in range(file + 1)]
SYMMETRIES = [
    lambda s: s,
    lambda s: s ^ 7,
    lambda s: s ^ 56,
    lambda s: s ^ 63,
    lambda s: s // 8 + s % 8 * 8,
    lambda s: (s // 8 + s % 8 * 8) ^ 7,
    lambda s: (s // 8 + s % 8 * 8) ^ 56,
    lambda s: (s // 8 + s % 8 * 8) ^ 63,
]


@cache
def row_text(pieces):
    text, last = "", -1
    for file, letter in pieces:
        text += (str(file - last - 1) if file - last > 1 else "") + letter
        last = file
    return text + (str(7 - last) if last < 7 else "")


def fen_of(king, rook, lone, side, letters="KRk"):
    rows = [()] * 8
    for square, letter in sorted(zip((king, rook, lone), letters, strict=True)):
        rank, file = divmod(square, 8)
        rows[7 - rank] = (*rows[7 - rank], (file, letter))
    return f"{'/'.join(map(row_text, rows))} {side} - - 0 1"


def expected(table, king, rook, lone, side):
    """Moves to mate by Gaviota; "illegal" where there is no such position."""
    board = chess.Board(None)
    board.set_piece_at(king, chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(rook, chess.Piece(chess.ROOK, chess.WHITE))
    board.set_piece_at(lone, chess.Piece(chess.KING, chess.BLACK))
    board.turn = side == "w"
    if not board.is_valid():
        return "illegal"
    plies = abs(table.probe_dtm(board))
    if plies == 0:
        return 0 if board.is_checkmate() else None
    return (plies + 1) // 2  # of the side that mates


def ours(*position):
    try:
        return KRK.from_fen(fen_of(*position)).dtm
    except InvalidFen:
        return "illegal"


@pytest.mark.parametrize("side", ["w", "b"])
def test_every_position_has_gaviotas_distance(gaviota, side):
    positions, longest = set(), 0
    for lone in TRIANGLE:
        for king in set(chess.SQUARES) - {lone}:
            for rook in set(chess.SQUARES) - {lone, king}:
                distance = expected(gaviota, king, rook, lone, side)
                assert ours(king, rook, lone, side) == distance, (king, rook, lone)
                if distance == "illegal":
                    continue
                longest = max(longest, distance or 0)
                other = "b" if side == "w" else "w"
                assert ours(king, rook, lone, other, "krK") == distance
                for image in SYMMETRIES:
                    squares = image(king), image(rook), image(lone)
                    positions.add(squares)
                    assert ours(*squares, side) == distance
    assert longest == 16
    assert len(positions) == {"w": 175_168, "b": 223_944}[side]
