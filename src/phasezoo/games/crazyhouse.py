"""Crazyhouse: captured pieces change sides, and are dropped instead of moving."""

from functools import partial

from phasezoo import _core
from phasezoo.games.base import Game

__all__ = ["CRAZYHOUSE"]

CRAZYHOUSE = Game(
    name="crazyhouse",
    num_players=2,
    num_actions=4992,
    plane_specs={"v1": (34, 8, 8), "v2": (64, 8, 8), "minimal": (22, 8, 8)},
    default_planes="v2",
    state_type=_core.BoardState,
    native=True,
    new_state=partial(_core.board_initial, "crazyhouse"),
    parse_position=partial(_core.board_from_fen, "crazyhouse"),
)
"""The game of crazyhouse: actions of chess and drops (SPEC §1), planes with pockets (SPEC §2)."""
