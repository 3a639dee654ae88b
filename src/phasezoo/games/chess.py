"""Chess (FIDE rules; the ends that are played out are listed in :attr:`BoardState.outcome`)."""

from functools import partial

from phasezoo import _core
from phasezoo.games.base import Game

__all__ = ["CHESS"]

CHESS = Game(
    name="chess",
    num_players=2,
    num_actions=4672,
    plane_specs={"v1": (39, 8, 8), "v2": (52, 8, 8), "minimal": (12, 8, 8)},
    default_planes="v2",
    state_type=_core.BoardState,
    native=True,
    new_state=partial(_core.board_initial, "chess"),
    parse_position=partial(_core.board_from_fen, "chess"),
)
"""The game of chess: actions as SPEC §1, planes as SPEC §2."""
