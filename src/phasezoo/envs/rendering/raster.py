"""Filling shapes with NumPy: coverage of polygons and lines, smoothed by supersampling."""

import numpy as np
import numpy.typing as npt

from phasezoo.envs.rendering.geometry import Detail, Points

Coverage = npt.NDArray[np.float32]
"""``float32[S, S]`` in [0, 1]: the share of each pixel that a shape covers, row 0 on top."""

SUPERSAMPLING = 4
"""Samples per pixel and axis."""


def _polygon(points: Points, size: int) -> npt.NDArray[np.bool_]:
    """The samples inside a closed polygon in the unit square, by the even-odd rule."""
    x = points[:, 0] * size - 0.5
    y = (1.0 - points[:, 1]) * size - 0.5
    inside = np.zeros((size, size), dtype=np.bool_)
    columns = np.arange(size)
    for start in range(len(points)):
        end = (start + 1) % len(points)
        low, high = sorted((y[start], y[end]))
        rows = np.arange(max(0, int(np.ceil(low))), min(size, int(np.ceil(high))))
        if len(rows) == 0:
            continue
        slope = (x[end] - x[start]) / (y[end] - y[start])
        crossing = x[start] + slope * (rows - y[start])
        inside[rows] ^= columns[None, :] >= crossing[:, None]
    return inside


def _line(points: Points, width: float, size: int) -> npt.NDArray[np.bool_]:
    """The samples within half of ``width`` of a line; of a single point, a dot."""
    centre = (np.arange(size) + 0.5) / size
    x, y = centre[None, :], 1.0 - centre[:, None]
    inside = np.zeros((size, size), dtype=np.bool_)
    for start, end in zip(
        points[: max(1, len(points) - 1)], points[1:] if len(points) > 1 else points, strict=True
    ):
        along = end - start
        length = float(along @ along)
        share = ((x - start[0]) * along[0] + (y - start[1]) * along[1]) / length if length else 0.0
        share = np.clip(share, 0.0, 1.0)
        gap = (x - start[0] - share * along[0]) ** 2 + (y - start[1] - share * along[1]) ** 2
        inside |= gap <= (width / 2.0) ** 2
    return inside


def _coverage(samples: npt.NDArray[np.bool_]) -> Coverage:
    size = len(samples) // SUPERSAMPLING
    blocks = samples.reshape(size, SUPERSAMPLING, size, SUPERSAMPLING)
    covered: Coverage = blocks.mean(axis=(1, 3), dtype=np.float32)
    return covered


def fill_coverage(outlines: tuple[Points, ...], size: int) -> Coverage:
    """Return what the union of polygons covers of a square of ``size`` pixels."""
    samples = size * SUPERSAMPLING
    filled = np.zeros((samples, samples), dtype=np.bool_)
    for outline in outlines:
        filled |= _polygon(outline, samples)
    return _coverage(filled)


def line_coverage(lines: tuple[Detail, ...], size: int) -> Coverage:
    """Return what lines in the unit square cover of a square of ``size`` pixels."""
    samples = size * SUPERSAMPLING
    drawn = np.zeros((samples, samples), dtype=np.bool_)
    for line in lines:
        drawn |= _line(line.points, line.width, samples)
    return _coverage(drawn)
