"""Symmetries of the endgame: no rule of it knows a direction."""

import numpy as np
import numpy.typing as npt

from phasezoo.games.symmetries import SYMMETRIES, turned_square
from phasezoo.zoo.boards.game import CHESS

STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""The eight directions N NE E SE S SW W NW: files to the right, ranks upwards."""

DISTANCES = 7
"""Distances of one direction in the indices of board games."""


def krk_symmetries(compact: bool) -> npt.NDArray[np.int64]:
    """Return the image of every action under each of the eight symmetries of the board.

    Args:
        compact: Whether actions are the 36 compact ones.

    Returns:
        ``int64[8, A]``: action ``a`` becomes ``[symmetry, a]``, on the board as the mover sees it,
        turned as :mod:`phasezoo.games.symmetries` says. Actions that no piece of this game has stay
        what they are.
    """
    directions = np.array(
        [[_direction(d, symmetry) for d in range(8)] for symmetry in range(SYMMETRIES)]
    )
    return _of_compact(directions) if compact else _of_board(directions)


def _of_compact(directions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    rook = directions[:, ::2, None] // 2 * DISTANCES + np.arange(DISTANCES)
    return np.concatenate([directions, 8 + rook.reshape(SYMMETRIES, -1)], axis=1)


def _of_board(directions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    actions = np.tile(np.arange(CHESS.num_actions), (SYMMETRIES, 1))
    squares = np.arange(64).reshape(8, 8)
    for symmetry in range(SYMMETRIES):
        place = np.empty(64, dtype=np.int64)
        place[turned_square(squares, symmetry).ravel()] = np.arange(64)
        plane = directions[symmetry][:, None] * DISTANCES + np.arange(DISTANCES)
        moved = plane.reshape(-1, 1) * 64 + place
        actions[symmetry, : moved.size] = moved.ravel()
    return actions


def _direction(direction: int, symmetry: int) -> int:
    across, along = STEPS[direction]
    across = -across if symmetry & 1 else across
    along = -along if symmetry & 2 else along
    return STEPS.index((along, across) if symmetry & 4 else (across, along))
