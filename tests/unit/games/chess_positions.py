"""Positions of chess that several test files set up."""

from phasezoo import games

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
CHESS = games.make("chess")
KNIGHTS_OUT_AND_BACK = ("g1f3", "g8f6", "f3g1", "f6g8")


def played(*moves, fen=START):
    """The state after UCI moves."""
    return CHESS.from_fen(fen, moves)
