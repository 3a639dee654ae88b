"""Shapes in the unit square: x to the right, y upwards. The raster and SVG draw the same ones."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Colour: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

Points: TypeAlias = npt.NDArray[np.float64]
"""``float64[K, 2]``: the corners of a polygon or a line."""


@dataclass(frozen=True)
class Detail:
    """A line of some width; a line of one point is a dot."""

    points: Points
    width: float


def corners(*points: tuple[float, float]) -> Points:
    """A polygon or a line."""
    return np.array(points, dtype=np.float64)


def mirrored(*right_half: tuple[float, float]) -> Points:
    """A symmetric outline from its right half, listed from the bottom upwards."""
    right = corners(*right_half)
    left = right[::-1] * (-1.0, 1.0) + (1.0, 0.0)
    return np.concatenate([right, left])


def ellipse(x: float, y: float, width: float, height: float, steps: int = 32) -> Points:
    """An ellipse around ``(x, y)``; width and height are its half axes."""
    angle = np.linspace(0.0, 2.0 * np.pi, steps, endpoint=False)
    return np.stack([x + width * np.cos(angle), y + height * np.sin(angle)], axis=1)


def rounded(left: float, bottom: float, right: float, top: float, radius: float) -> Points:
    """A rectangle with round corners."""
    angle = np.linspace(0.0, np.pi / 2.0, 7)
    turns = []
    for turn, (x, y) in enumerate(((right, top), (left, top), (left, bottom), (right, bottom))):
        inner = (
            x + (radius if x == left else -radius),
            y + (radius if y == bottom else -radius),
        )
        at = angle + turn * np.pi / 2.0
        turns.append(np.stack([np.cos(at), np.sin(at)], axis=1) * radius + inner)
    return np.concatenate(turns)


def smooth(points: Points, *, closed: bool = True, steps: int = 8) -> Points:
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


def line(*points: tuple[float, float], width: float = 0.022, curved: bool = False) -> Detail:
    """A line through points, or a smooth curve through them."""
    path = corners(*points)
    return Detail(smooth(path, closed=False) if curved else path, width)
