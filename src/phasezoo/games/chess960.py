"""Chess960: chess from one of 960 arrays of the first rank, drawn by a seed."""

from functools import partial

from phasezoo import _core
from phasezoo.games.base import Game
from phasezoo.games.chess import CHESS

__all__ = ["CHESS960"]

CHESS960 = Game(
    name="chess960",
    num_players=2,
    num_actions=CHESS.num_actions,
    plane_specs=CHESS.plane_specs,
    default_planes=CHESS.default_planes,
    state_type=_core.BoardState,
    native=True,
    new_state=partial(_core.board_initial, "chess960"),
    parse_position=partial(_core.board_from_fen, "chess960"),
    draws_start=lambda options: True,
)
"""Chess960: actions and planes of chess; castling is the king's move onto his own rook.

Without a seed games start from the usual array.
"""
