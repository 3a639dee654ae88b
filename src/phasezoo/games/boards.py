"""States of board games as boards of python-chess."""

from typing import TYPE_CHECKING

from phasezoo.errors import MissingDependency, UnknownGame

if TYPE_CHECKING:
    import chess

    from phasezoo import _core

__all__ = ["to_board"]


def to_board(state: "_core.BoardState") -> "chess.Board":
    """The board of ``state`` with the game's moves on its stack.

    Raises:
        MissingDependency: python-chess is not installed.
        UnknownGame: python-chess does not know the game.
    """
    try:
        import chess
    except ImportError as error:
        message = "board() needs python-chess: pip install 'phasezoo[chess]'"
        raise MissingDependency(message) from error
    if state.game != "chess":
        message = f"{state.game!r} has no board of python-chess; only 'chess' has"
        raise UnknownGame(message)
    board = chess.Board() if state.start_fen is None else chess.Board(state.start_fen)
    for move in state.moves:
        board.push(chess.Move.from_uci(move))
    return board
