"""Atomic chess (lichess rules): captures explode, and whose king explodes has lost."""

from functools import partial

from phasezoo import _core
from phasezoo.games.base import Game
from phasezoo.games.chess import CHESS

__all__ = ["ATOMIC"]

ATOMIC = Game(
    name="atomic",
    num_players=2,
    num_actions=CHESS.num_actions,
    plane_specs={**CHESS.plane_specs, "lichess": (80, 8, 8)},
    default_planes="v2",
    state_type=_core.BoardState,
    native=True,
    new_state=partial(_core.board_initial, "atomic"),
    parse_position=partial(_core.board_from_fen, "atomic"),
)
"""The game of atomic chess: actions and planes of chess; ``lichess`` planes suit all variants."""
