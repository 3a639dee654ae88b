"""Connect Four: its handle, and exact scores by the solver BitBully (extra ``solve``)."""

from functools import cache
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import _core
from phasezoo.errors import needs
from phasezoo.games.base import Game

Scores = npt.NDArray[np.float64]

_SOLVER = Lock()
"""The solver keeps one table of positions, which two threads must not write at once."""


def solve(state: Any) -> Scores:
    """Return the score of each legal action with best play of both players.

    Returns:
        ``float64[L]``, one score for each of ``state.legal_actions``, for the player to move: above
        0 a win, 0 a draw, below 0 a loss, the farther from 0 the sooner. The winner's score is 1
        if they win with their last stone, and 1 more for each stone that they have left.
    """
    board, solver = _solver()
    with _SOLVER:
        scores = solver.score_all_moves(board([int(column) - 1 for column in state.columns]))
    return np.array([scores[int(action)] for action in state.legal_actions], dtype=np.float64)


@cache
def _solver() -> tuple[Any, Any]:
    """The type of its boards, and the solver with its book of openings, read once."""
    with needs(
        (
            "exact scores of Connect Four need the solver BitBully, which is licensed under the "
            "AGPL-3.0"
        ),
        "solve",
    ):
        import bitbully
    return bitbully.Board, bitbully.BitBully()


CONNECT_FOUR = Game(
    name="connect-four",
    num_players=2,
    num_actions=7,
    plane_specs={"default": (3, 6, 7)},
    plane_names={"default": ("own stones", "their stones", "player 0 is to move")},
    plane_bounds={"default": {}},
    default_planes="default",
    state_type=_core.ConnectFourState,
    native=True,
    new_state=_core.ConnectFourState,
    encode_states=_core.encode,
    parse_columns=_core.ConnectFourState,
    solve=solve,
    match_openings="two-ply",
)
"""Connect Four on 6 rows and 7 columns: actions are columns, counted from the left.

States have ``columns``, the columns played as one word of digits from 1 to 7, ``threats`` and
``mirrored()``. ``game.from_columns("4453")`` makes one from such a word.
"""
