"""The eight symmetries of a square board, by number."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["TURNINGS", "turned_square"]

TURNINGS = 8
"""Turning 1 reverses columns, 2 rows, 4 exchanges the two after that; the others are sums."""


def turned_square(board: npt.NDArray[Any], turning: int) -> npt.NDArray[Any]:
    """A board ``[…, N, N]`` turned: a view of it."""
    if turning & 1:
        board = board[..., ::-1]
    if turning & 2:
        board = board[..., ::-1, :]
    return np.swapaxes(board, -1, -2) if turning & 4 else board
