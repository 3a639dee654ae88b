"""What the moves of this endgame become if the board is turned: no rule of it knows a direction."""

import numpy as np
import numpy.typing as npt

from phasezoo.games.symmetries import TURNINGS, turned_square
from phasezoo.zoo.boards.game import CHESS

__all__ = ["krk_turnings"]

STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""The eight directions N NE E SE S SW W NW: files to the right, ranks upwards."""

DISTANCES = 7
"""Distances of one direction in the indices of board games."""


def krk_turnings(compact: bool) -> npt.NDArray[np.int64]:
    """What every action becomes by each of the eight symmetries of the board.

    Args:
        compact: Whether actions are the 36 compact ones.

    Returns:
        ``int64[8, A]``: action ``a`` becomes ``[turning, a]``, on the board as the mover sees it,
        turned as :mod:`phasezoo.games.symmetries` says. Actions that no piece of this game has stay
        what they are.
    """
    directions = np.array(
        [[_direction(d, turning) for d in range(8)] for turning in range(TURNINGS)]
    )
    return _of_compact(directions) if compact else _of_board(directions)


def _of_compact(directions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    rook = directions[:, ::2, None] // 2 * DISTANCES + np.arange(DISTANCES)
    return np.concatenate([directions, 8 + rook.reshape(TURNINGS, -1)], axis=1)


def _of_board(directions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    actions = np.tile(np.arange(CHESS.num_actions), (TURNINGS, 1))
    squares = np.arange(64).reshape(8, 8)
    for turning in range(TURNINGS):
        place = np.empty(64, dtype=np.int64)
        place[turned_square(squares, turning).ravel()] = np.arange(64)
        plane = directions[turning][:, None] * DISTANCES + np.arange(DISTANCES)
        moved = plane.reshape(-1, 1) * 64 + place
        actions[turning, : moved.size] = moved.ravel()
    return actions


def _direction(direction: int, turning: int) -> int:
    across, along = STEPS[direction]
    across = -across if turning & 1 else across
    along = -along if turning & 2 else along
    return STEPS.index((along, across) if turning & 4 else (across, along))
