"""States of board games as boards of python-chess."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from phasezoo.errors import MissingDependency, UnknownGame

if TYPE_CHECKING:
    import chess

    from phasezoo import _core

__all__ = ["to_board"]

STARTING_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
"""Where games without a start of their own begin; crazyhouse's pockets are empty."""


def to_board(state: "_core.BoardState") -> "chess.Board":
    """The board of ``state`` with the game's moves on its stack.

    Raises:
        MissingDependency: python-chess is not installed.
        UnknownGame: python-chess does not know the game.
    """
    try:
        from chess import Board, Move, variant
    except ImportError as error:
        message = "board() needs python-chess: pip install 'phasezoo[chess]'"
        raise MissingDependency(message) from error
    kinds: dict[str, Callable[[str], Board]] = {
        "chess": Board,
        "chess960": partial(Board, chess960=True),
        "atomic": variant.AtomicBoard,
        "crazyhouse": variant.CrazyhouseBoard,
        "krk": Board,
    }
    kind = kinds.get(state.game)
    if kind is None:
        message = f"{state.game!r} has no board of python-chess; {', '.join(kinds)} have"
        raise UnknownGame(message)
    board = kind(STARTING_FEN if state.start_fen is None else state.start_fen)
    for move in state.moves:
        board.push(Move.from_uci(move))
    return board
