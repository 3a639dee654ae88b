"""How low and how high the numbers of planes can be."""

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

UNLIMITED = float(np.finfo(np.float32).max)
"""The bound of counters that have none."""

Bounds = Mapping[int, tuple[float, float]]
"""Lowest and highest number of each plane that is not all zeros and ones, by its index."""


def wide(planes: Iterable[int], low: float, high: float) -> dict[int, tuple[float, float]]:
    """The same bounds for several planes."""
    return dict.fromkeys(planes, (low, high))


def bounds_of_planes(
    channels: int, bounds: Bounds | None
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """``float32[C]`` twice: the lowest and the highest number of each plane.

    Args:
        channels: How many planes there are.
        bounds: Those of the planes that are not all zeros and ones; None if nothing is known.
    """
    if bounds is None:
        high = np.full(channels, UNLIMITED, dtype=np.float32)
        return -high, high
    low, high = np.zeros(channels, dtype=np.float32), np.ones(channels, dtype=np.float32)
    for plane, (lowest, highest) in bounds.items():
        low[plane], high[plane] = lowest, highest
    return low, high
