"""The geometry of the pieces: silhouettes and details drawn for this project.

A piece is a union of closed outlines (its silhouette) with details on top, thin lines and dots in
the contrasting colour.
"""

from dataclasses import dataclass
from functools import cache

from phasezoo.envs.rendering.geometry import (
    Detail,
    Points,
    corners,
    ellipse,
    line,
    mirrored,
    smooth,
)

PIECES = "pnbrqk"
"""The letters of the pieces, as in FEN."""


@dataclass(frozen=True)
class Piece:
    """A silhouette (the union of its outlines) and the details on it."""

    outlines: tuple[Points, ...]
    details: tuple[Detail, ...]


def _base() -> tuple[Points, ...]:
    """The foot that all pieces stand on."""
    return (
        mirrored((0.76, 0.09), (0.78, 0.11), (0.78, 0.155), (0.74, 0.175)),
        mirrored((0.70, 0.165), (0.71, 0.195), (0.66, 0.235)),
    )


def _collar(y: float, width: float) -> Points:
    return ellipse(0.5, y, width, 0.026)


_FOOT_LINE = line((0.345, 0.205), (0.655, 0.205), width=0.018)


def _pawn() -> Piece:
    body = mirrored((0.66, 0.22), (0.60, 0.30), (0.565, 0.40), (0.55, 0.50))
    return Piece(
        (*_base(), body, _collar(0.505, 0.115), ellipse(0.5, 0.625, 0.125, 0.125)), (_FOOT_LINE,)
    )


def _rook() -> Piece:
    body = mirrored((0.665, 0.22), (0.635, 0.32), (0.62, 0.44), (0.615, 0.58))
    top = corners(
        (0.31, 0.57), (0.69, 0.57), (0.715, 0.63), (0.715, 0.76), (0.62, 0.76), (0.62, 0.705),
        (0.555, 0.705), (0.555, 0.76), (0.445, 0.76), (0.445, 0.705), (0.38, 0.705), (0.38, 0.76),
        (0.285, 0.76), (0.285, 0.63),
    )  # fmt: skip
    details = (_FOOT_LINE, line((0.37, 0.575), (0.63, 0.575)), line((0.33, 0.64), (0.67, 0.64)))
    return Piece((*_base(), body, top), details)


def _bishop() -> Piece:
    body = mirrored((0.66, 0.22), (0.60, 0.30), (0.57, 0.38), (0.56, 0.47))
    mitre = smooth(
        mirrored((0.56, 0.49), (0.625, 0.55), (0.635, 0.635), (0.585, 0.735), (0.52, 0.815))
    )
    ball = ellipse(0.5, 0.845, 0.042, 0.042)
    details = (
        _FOOT_LINE,
        line((0.505, 0.715), (0.575, 0.60), width=0.026),
        line((0.42, 0.475), (0.58, 0.475)),
    )
    return Piece((*_base(), body, _collar(0.47, 0.135), mitre, ball), details)


def _knight() -> Piece:
    head = corners(
        (0.68, 0.22), (0.715, 0.33), (0.725, 0.45), (0.70, 0.58), (0.645, 0.69), (0.57, 0.765),
        (0.535, 0.79), (0.515, 0.875), (0.46, 0.795), (0.415, 0.765), (0.365, 0.70), (0.30, 0.605),
        (0.235, 0.52), (0.225, 0.455), (0.255, 0.415), (0.30, 0.41), (0.335, 0.435), (0.375, 0.465),
        (0.44, 0.48), (0.475, 0.495), (0.475, 0.45), (0.435, 0.385), (0.375, 0.315), (0.335, 0.22),
    )  # fmt: skip
    mane = line((0.585, 0.70), (0.635, 0.58), (0.65, 0.45), (0.635, 0.32), curved=True)
    details = (
        _FOOT_LINE,
        mane,
        line((0.425, 0.665), width=0.05),
        line((0.275, 0.475), width=0.03),
        line((0.28, 0.435), (0.325, 0.455), width=0.016),
    )
    return Piece((*_base(), head), details)


def _queen() -> Piece:
    body = mirrored((0.66, 0.22), (0.605, 0.31), (0.575, 0.42), (0.565, 0.53))
    crown = corners(
        (0.405, 0.56), (0.595, 0.56), (0.70, 0.79), (0.625, 0.745), (0.565, 0.80), (0.50, 0.75),
        (0.435, 0.80), (0.375, 0.745), (0.30, 0.79),
    )  # fmt: skip
    ball = ellipse(0.5, 0.815, 0.045, 0.045)
    details = (
        _FOOT_LINE,
        line((0.41, 0.535), (0.59, 0.535)),
        line((0.365, 0.70), (0.635, 0.70), width=0.018),
    )
    return Piece((*_base(), body, _collar(0.53, 0.145), crown, ball), details)


def _king() -> Piece:
    body = mirrored((0.665, 0.22), (0.61, 0.31), (0.58, 0.42), (0.57, 0.54))
    crown = mirrored((0.59, 0.565), (0.665, 0.745), (0.60, 0.775), (0.53, 0.785))
    cross = mirrored(
        (0.522, 0.77), (0.522, 0.84), (0.575, 0.84), (0.575, 0.885), (0.522, 0.885), (0.522, 0.94)
    )
    details = (
        _FOOT_LINE,
        line((0.41, 0.545), (0.59, 0.545)),
        line((0.365, 0.715), (0.635, 0.715), width=0.018),
    )
    return Piece((*_base(), body, _collar(0.54, 0.15), crown, cross), details)


@cache
def piece(letter: str) -> Piece:
    """The shapes of the piece with a FEN letter (lower case)."""
    makers = {"p": _pawn, "n": _knight, "b": _bishop, "r": _rook, "q": _queen, "k": _king}
    return makers[letter]()
