"""Records of a curve over sizes, and where it crosses zero for good."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.curve.config import CurveConfig
from phasezoo.runs.provenance import Provenance


@dataclass(frozen=True)
class Point:
    """A mixture beside one network at one size."""

    positions: int
    """Training positions that each of both saw."""
    loss: Interval | None
    """The mixture's test loss less the one network's, on all positions; None without any."""
    elo: Interval | None
    """Elo of the mixture over the one network; None if it played none."""
    exact: dict[str, Interval | None]
    """Worth of its moves by perfect play less that of the one network's, by metric; empty where
    perfect play is unknown."""


@dataclass(frozen=True)
class Curve:
    """A mixture at all sizes."""

    name: str
    """As shown."""
    gate: str
    """What divides the positions, in its full spelling."""
    strategy: str
    """How its experts learned."""
    points: list[Point]
    """By size."""
    loss_crossing: Interval | None
    """From how many positions on its loss is not above the one network's, and between which sizes
    that may be: −∞ is below the smallest, ∞ above the largest. None without test positions."""
    elo_crossing: Interval | None
    """The same of its Elo; None if it played none, or won or lost all games at a size."""


@dataclass(frozen=True)
class Size:
    """The run at one size."""

    positions: int
    """Training positions."""
    folder: str
    """Where it is, from the directory of the whole."""
    unique_positions: int
    """Different positions that the one network of the first training saw."""
    baseline_loss: float | None
    """Test loss of the one network, a mean over trainings."""
    seconds: float
    """Time it took."""


@dataclass(frozen=True)
class Results:
    """Everything a run found."""

    config: CurveConfig
    command: str
    date: str
    provenance: Provenance
    game: str
    """The game."""
    source: str
    """Where the games come from, for people."""
    sizes: list[Size]
    curves: list[Curve]
    seconds: dict[str, float]


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
