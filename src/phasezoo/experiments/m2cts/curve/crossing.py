"""Where a curve over sizes crosses zero for good, and between which sizes that may be."""

import math
from collections.abc import Sequence

from phasezoo.arena.intervals import Interval

__all__ = ["crossing", "place"]


def crossing(sizes: Sequence[int], differences: Sequence[Interval]) -> Interval:
    """The size from which on a difference is zero or below, and between which sizes it may be.

    The ends are where the lower and the upper ends of the differences' intervals get there for
    good: behind the upper one the whole 95 % band lies at zero or below, and no size behind the
    lower one has its whole band above zero. (A bootstrap over trainings would be of no width with
    the few that one can afford.)

    Args:
        sizes: Rising.
        differences: At each of them, with 95 % intervals.

    Returns:
        Sizes between the smallest and the largest; −∞ if the difference is never above zero, ∞ if
        it is so at the largest.
    """
    return Interval(
        place(sizes, [one.value for one in differences]),
        place(sizes, [one.low for one in differences]),
        place(sizes, [one.high for one in differences]),
    )


def place(sizes: Sequence[int], heights: Sequence[float]) -> float:
    """Where a curve goes to zero or below and stays there; −∞ if it is never above, ∞ if at last.

    Between two sizes it is a straight line over the logarithm of the size.

    Args:
        sizes: Rising.
        heights: Of the curve at each; they may be infinite.
    """
    last = max((index for index, height in enumerate(heights) if height > 0), default=None)
    if last is None:
        return -math.inf
    if last == len(sizes) - 1:
        return math.inf
    before, after = heights[last], heights[last + 1]
    if math.isinf(before):
        return float(sizes[last + 1])
    share = 0.0 if math.isinf(after) else before / (before - after)
    return float(sizes[last] * (sizes[last + 1] / sizes[last]) ** share)
