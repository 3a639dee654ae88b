"""Solved endings equal Gaviota's tables, and published mates of queen against rook."""

import re

import chess
import numpy as np
import pytest

from phasezoo.zoo.boards.data import DRAW, ILLEGAL, ending_of, solve


def board_of(table, side, squares):
    board = chess.Board(None)
    for square, letter in zip(squares, table.pieces, strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    board.turn = side == 0
    return board


@pytest.mark.parametrize("name", ["krk", "kqk", "kpk", "kbk", "knk"])
def test_distances_are_gaviotas(gaviota, name):
    table, compared = solve(ending_of(name)), 0
    rng = np.random.default_rng(3)
    for side, *squares in rng.integers(0, [2, 64, 64, 64], (4000, 4)).tolist():
        value = int(table.plies[(side, *squares)])
        board = board_of(table, side, squares)
        if len(set(squares)) < 3 or not board.is_valid():
            assert value == ILLEGAL, board.fen()
            continue
        plies = gaviota.probe_dtm(board)
        expected = abs(plies) if plies or board.is_checkmate() else DRAW
        assert value == expected, board.fen()
        compared += 1
    assert compared > 2000


@pytest.mark.slow
def test_mates_of_queen_against_rook_are_those_that_are_published(shared_dir):
    file = shared_dir / "data" / "suites" / "dtm_KQvKR1000.epd"
    if not file.exists():
        pytest.skip(f"there is no {file}")
    table = solve(ending_of("kqkr"))
    assert (table.longest(0), table.longest(1)) == (35, 19)
    for line in file.read_text().splitlines():
        fen, moves = line.split(" bm #")
        board = chess.Board(f"{' '.join(fen.split()[:4])} 0 1")
        if not board.pieces(chess.QUEEN, chess.WHITE):
            board = board.mirror()
        squares = []
        for letter in table.pieces:
            piece = chess.Piece.from_symbol(letter)
            squares += board.pieces(piece.piece_type, piece.color)
        plies = int(table.plies[(0 if board.turn else 1, *squares)])
        number = int(re.match(r"-?\d+", moves)[0])
        assert plies == (2 * number - 1 if number > 0 else -2 * number), line
