"""The geometry of the pieces: silhouettes and details drawn for this project.

Coordinates are fractions of a square, x to the right and y upwards. A piece is a union of closed
outlines (its silhouette) with details on top, thin lines and dots in the contrasting colour. The
raster and the SVG renderer draw the same shapes.
"""

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["PIECES", "Detail", "Piece", "Points", "piece"]

Points: TypeAlias = npt.NDArray[np.float64]
"""``float64[K, 2]``: the corners of a polygon or a line."""

PIECES = "pnbrqk"
"""The letters of the pieces, as in FEN."""


@dataclass(frozen=True)
class Detail:
    """A line of some width on a silhouette; a line of one point is a dot."""

    points: Points
    width: float


@dataclass(frozen=True)
class Piece:
    """A silhouette (the union of its outlines) and the details on it."""

    outlines: tuple[Points, ...]
    details: tuple[Detail, ...]


def _corners(*points: tuple[float, float]) -> Points:
    return np.array(points, dtype=np.float64)


def _mirrored(*right_half: tuple[float, float]) -> Points:
    """A symmetric outline from its right half, listed from the bottom upwards."""
    right = _corners(*right_half)
    left = right[::-1] * (-1.0, 1.0) + (1.0, 0.0)
    return np.concatenate([right, left])


def _ellipse(x: float, y: float, width: float, height: float, corners: int = 32) -> Points:
    angle = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    return np.stack([x + width * np.cos(angle), y + height * np.sin(angle)], axis=1)


def _smooth(points: Points, *, closed: bool = True, steps: int = 8) -> Points:
    """A Catmull-Rom curve through ``points`` (Catmull and Rom, 1974)."""
    if closed:
        padded = np.concatenate([points[-1:], points, points[:2]])
    else:
        padded = np.concatenate([points[:1], points, points[-1:]])
    before, start, end, after = (padded[i : len(padded) - 3 + i, None] for i in range(4))
    t = np.linspace(0.0, 1.0, steps, endpoint=False)[None, :, None]
    curve = 0.5 * (
        2.0 * start
        + (end - before) * t
        + (2.0 * before - 5.0 * start + 4.0 * end - after) * t**2
        + (3.0 * start - before - 3.0 * end + after) * t**3
    )
    flat = curve.reshape(-1, 2)
    return flat if closed else np.concatenate([flat, points[-1:]])


def _base() -> tuple[Points, ...]:
    """The foot that all pieces stand on."""
    return (
        _mirrored((0.76, 0.09), (0.78, 0.11), (0.78, 0.155), (0.74, 0.175)),
        _mirrored((0.70, 0.165), (0.71, 0.195), (0.66, 0.235)),
    )


def _collar(y: float, width: float) -> Points:
    return _ellipse(0.5, y, width, 0.026)


def _line(*points: tuple[float, float], width: float = 0.022, smooth: bool = False) -> Detail:
    corners = _corners(*points)
    return Detail(_smooth(corners, closed=False) if smooth else corners, width)


_FOOT_LINE = _line((0.345, 0.205), (0.655, 0.205), width=0.018)


def _pawn() -> Piece:
    body = _mirrored((0.66, 0.22), (0.60, 0.30), (0.565, 0.40), (0.55, 0.50))
    return Piece(
        (*_base(), body, _collar(0.505, 0.115), _ellipse(0.5, 0.625, 0.125, 0.125)), (_FOOT_LINE,)
    )


def _rook() -> Piece:
    body = _mirrored((0.665, 0.22), (0.635, 0.32), (0.62, 0.44), (0.615, 0.58))
    top = _corners(
        (0.31, 0.57), (0.69, 0.57), (0.715, 0.63), (0.715, 0.76), (0.62, 0.76), (0.62, 0.705),
        (0.555, 0.705), (0.555, 0.76), (0.445, 0.76), (0.445, 0.705), (0.38, 0.705), (0.38, 0.76),
        (0.285, 0.76), (0.285, 0.63),
    )  # fmt: skip
    details = (_FOOT_LINE, _line((0.37, 0.575), (0.63, 0.575)), _line((0.33, 0.64), (0.67, 0.64)))
    return Piece((*_base(), body, top), details)


def _bishop() -> Piece:
    body = _mirrored((0.66, 0.22), (0.60, 0.30), (0.57, 0.38), (0.56, 0.47))
    mitre = _smooth(
        _mirrored((0.56, 0.49), (0.625, 0.55), (0.635, 0.635), (0.585, 0.735), (0.52, 0.815))
    )
    ball = _ellipse(0.5, 0.845, 0.042, 0.042)
    details = (
        _FOOT_LINE,
        _line((0.505, 0.715), (0.575, 0.60), width=0.026),
        _line((0.42, 0.475), (0.58, 0.475)),
    )
    return Piece((*_base(), body, _collar(0.47, 0.135), mitre, ball), details)


def _knight() -> Piece:
    head = _corners(
        (0.68, 0.22), (0.715, 0.33), (0.725, 0.45), (0.70, 0.58), (0.645, 0.69), (0.57, 0.765),
        (0.535, 0.79), (0.515, 0.875), (0.46, 0.795), (0.415, 0.765), (0.365, 0.70), (0.30, 0.605),
        (0.235, 0.52), (0.225, 0.455), (0.255, 0.415), (0.30, 0.41), (0.335, 0.435), (0.375, 0.465),
        (0.44, 0.48), (0.475, 0.495), (0.475, 0.45), (0.435, 0.385), (0.375, 0.315), (0.335, 0.22),
    )  # fmt: skip
    mane = _line((0.585, 0.70), (0.635, 0.58), (0.65, 0.45), (0.635, 0.32), smooth=True)
    details = (
        _FOOT_LINE,
        mane,
        _line((0.425, 0.665), width=0.05),
        _line((0.275, 0.475), width=0.03),
        _line((0.28, 0.435), (0.325, 0.455), width=0.016),
    )
    return Piece((*_base(), head), details)


def _queen() -> Piece:
    body = _mirrored((0.66, 0.22), (0.605, 0.31), (0.575, 0.42), (0.565, 0.53))
    crown = _corners(
        (0.405, 0.56), (0.595, 0.56), (0.70, 0.79), (0.625, 0.745), (0.565, 0.80), (0.50, 0.75),
        (0.435, 0.80), (0.375, 0.745), (0.30, 0.79),
    )  # fmt: skip
    ball = _ellipse(0.5, 0.815, 0.045, 0.045)
    details = (
        _FOOT_LINE,
        _line((0.41, 0.535), (0.59, 0.535)),
        _line((0.365, 0.70), (0.635, 0.70), width=0.018),
    )
    return Piece((*_base(), body, _collar(0.53, 0.145), crown, ball), details)


def _king() -> Piece:
    body = _mirrored((0.665, 0.22), (0.61, 0.31), (0.58, 0.42), (0.57, 0.54))
    crown = _mirrored((0.59, 0.565), (0.665, 0.745), (0.60, 0.775), (0.53, 0.785))
    cross = _mirrored(
        (0.522, 0.77), (0.522, 0.84), (0.575, 0.84), (0.575, 0.885), (0.522, 0.885), (0.522, 0.94)
    )
    details = (
        _FOOT_LINE,
        _line((0.41, 0.545), (0.59, 0.545)),
        _line((0.365, 0.715), (0.635, 0.715), width=0.018),
    )
    return Piece((*_base(), body, _collar(0.54, 0.15), crown, cross), details)


@cache
def piece(letter: str) -> Piece:
    """The shapes of the piece with a FEN letter (lower case)."""
    drawings = {"p": _pawn, "n": _knight, "b": _bishop, "r": _rook, "q": _queen, "k": _king}
    return drawings[letter]()
