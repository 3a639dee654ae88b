"""Digits and some letters as lines: the coordinates of a board, numbers, and "step"."""

from functools import cache

import numpy as np

from phasezoo.envs.rendering.geometry import Detail, Points, corners
from phasezoo.envs.rendering.stamps import Layer, Symbol

WIDTH = 0.13
"""Width of the lines, as a fraction of the letter's box."""


def _arc(x: float, y: float, radius: tuple[float, float], start: float, end: float) -> Points:
    """Part of an ellipse, angles in degrees, anticlockwise from the right."""
    angle = np.radians(np.linspace(start, end, 13))
    return np.stack([x + radius[0] * np.cos(angle), y + radius[1] * np.sin(angle)], axis=1)


_BOWL = (0.2, 0.2)
_LINES: dict[str, tuple[Points, ...]] = {
    "a": (_arc(0.48, 0.33, _BOWL, 0, 360), corners((0.68, 0.53), (0.68, 0.13))),
    "b": (corners((0.3, 0.87), (0.3, 0.13)), _arc(0.5, 0.33, _BOWL, 0, 360)),
    "c": (_arc(0.5, 0.33, _BOWL, 45, 315),),
    "d": (corners((0.7, 0.87), (0.7, 0.13)), _arc(0.5, 0.33, _BOWL, 0, 360)),
    "e": (corners((0.3, 0.34), (0.7, 0.34)), _arc(0.5, 0.33, _BOWL, 0, 310)),
    "f": (
        _arc(0.58, 0.7, (0.14, 0.15), 60, 180), corners((0.44, 0.7), (0.44, 0.13)),
        corners((0.3, 0.52), (0.62, 0.52)),
    ),
    "g": (
        _arc(0.5, 0.36, _BOWL, 0, 360), corners((0.7, 0.56), (0.7, 0.14)),
        _arc(0.5, 0.15, (0.2, 0.14), 0, -150),
    ),
    "h": (
        corners((0.3, 0.87), (0.3, 0.13)), _arc(0.49, 0.34, (0.19, 0.19), 180, 0),
        corners((0.68, 0.34), (0.68, 0.13)),
    ),
    "p": (corners((0.3, 0.56), (0.3, 0.07)), _arc(0.5, 0.36, _BOWL, 0, 360)),
    "s": (
        _arc(0.5, 0.44, (0.16, 0.11), 40, 250), _arc(0.5, 0.23, (0.17, 0.11), 70, -140),
    ),
    "t": (
        corners((0.46, 0.82), (0.46, 0.28)), _arc(0.58, 0.28, (0.12, 0.15), 180, 290),
        corners((0.3, 0.55), (0.66, 0.55)),
    ),
    "0": (_arc(0.5, 0.5, (0.21, 0.37), 0, 360),),
    "1": (corners((0.34, 0.72), (0.52, 0.87), (0.52, 0.13)),),
    "2": (
        _arc(0.5, 0.67, (0.2, 0.2), 165, -35),
        corners((0.664, 0.555), (0.29, 0.13), (0.71, 0.13)),
    ),
    "3": (_arc(0.48, 0.68, (0.19, 0.18), 150, -90), _arc(0.48, 0.32, (0.21, 0.19), 90, -150)),
    "4": (corners((0.6, 0.13), (0.6, 0.87), (0.26, 0.34), (0.74, 0.34)),),
    "5": (
        corners((0.68, 0.87), (0.36, 0.87), (0.33, 0.54)),
        _arc(0.48, 0.36, (0.21, 0.23), 130, -145),
    ),
    "6": (_arc(0.5, 0.35, (0.2, 0.22), 0, 360), corners((0.31, 0.41), (0.42, 0.68), (0.6, 0.87))),
    "7": (corners((0.29, 0.87), (0.71, 0.87), (0.43, 0.13)),),
    "8": (_arc(0.5, 0.68, (0.175, 0.18), 0, 360), _arc(0.5, 0.32, (0.205, 0.19), 0, 360)),
    "9": (_arc(0.5, 0.65, (0.2, 0.22), 0, 360), corners((0.69, 0.59), (0.58, 0.32), (0.4, 0.13))),
}  # fmt: skip


@cache
def glyph(letter: str) -> tuple[Detail, ...]:
    """The lines of a letter or digit in the unit square."""
    return tuple(Detail(points, WIDTH) for points in _LINES[letter])


@cache
def letter(character: str) -> Symbol:
    """A letter or digit to be stamped; an SVG id must not begin with a digit."""
    return Symbol(f"letter-{character}", (Layer(None, lines=glyph(character)),))
