"""Intervals: over games by resampling, over trainings by Student's t.

Two sources of chance are kept apart: which games happened to be drawn, and how a training happened
to come out. Games are cheap and trainings are not, so an interval that counts games only is far too
narrow for a claim about a method. The same for matches is in
:mod:`phasezoo.arena.crossed_trainings`.
"""

import math
from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.arena.intervals import MIN_PAIRS, Z95, Interval, t95
from phasezoo.training.resampling import (
    ResampledMeans,
    percentiles,
    resample_games,
    sums_by_game,
    widening,
)

__all__ = [
    "ResampledMeans",
    "Verdict",
    "around",
    "between_trainings",
    "by_verdict",
    "over_trainings",
    "percentile_interval",
    "resample_games",
    "sums_by_game",
    "verdict",
    "widening",
    "wilson",
]

Array: TypeAlias = npt.NDArray[np.float64]

_ROUNDING = 1e-12
"""Means of numbers that are all alike differ by no more, by their size."""

Verdict: TypeAlias = Literal["lower", "higher", "unclear"]
"""What a 95 % interval of a difference says: below zero, above zero, or neither."""


def verdict(interval: Interval) -> Verdict:
    """Say whether an interval lies below zero, above zero, or holds zero."""
    if interval.high < 0:
        return "lower"
    return "higher" if interval.low > 0 else "unclear"


def by_verdict(differences: Iterable[tuple[str, Interval | None]]) -> dict[Verdict, list[str]]:
    """Group names by what their differences say; those without an interval are left out."""
    found: dict[Verdict, list[str]] = {"higher": [], "lower": [], "unclear": []}
    for name, difference in differences:
        if difference is not None:
            found[verdict(difference)].append(name)
    return found


def around(value: float, half: float) -> Interval:
    """Return an estimate with an interval of this half-width."""
    return Interval(value, value - half, value + half)


def percentile_interval(value: float, resampled: Array) -> Interval | None:
    """Return an estimate with the percentile bootstrap's 95 % interval (Efron 1979).

    Args:
        value: The estimate.
        resampled: ``float64[R]``: the same for R draws of games; those without a value count not.

    Returns:
        The interval, or None if the number does not exist.
    """
    ends = percentiles(value, resampled)
    return None if ends is None else Interval(value, *ends)


def between_trainings(values: Array) -> float:
    """Half the 95 % interval of the mean over K > 1 trainings, t(K - 1) s / sqrt(K).

    Args:
        values: ``float64[K]``: one number per training.
    """
    trainings = len(values)
    return float(t95(trainings - 1)) * float(values.std(ddof=1)) / math.sqrt(trainings)


def over_trainings(values: Array, resampled: Array, games: int | None = None) -> Interval | None:
    """Return the mean with a 95 % interval that counts trainings first, games second.

    With one training the interval is the percentile bootstrap over games. With K it is
    ``mean ± sqrt((t(K - 1) s / sqrt(K))^2 + (half-width over games of the mean)^2)``, where s is
    the standard deviation between trainings: all trainings share the test games, so the chance in
    the games does not shrink with K.

    A bootstrap of few games is too narrow, and of games that are all alike it has no width, however
    few they are. With ``games`` the interval over games is stretched about the mean by
    t(n - 1) sqrt(n / (n - 1)) / 1.96 for n games (Student's t; the variance of n draws is
    (n - 1) / n of the unbiased one). With fewer than four of them, or if they are all alike,
    nothing is said: the ends are infinite.

    Args:
        values: ``float64[K]``: one number per training.
        resampled: ``float64[R, K]``: the same for R draws of test games.
        games: Games (or whatever else was drawn) that the number is of; None: many.

    Returns:
        The interval, or None if the number does not exist, as for a phase without positions.
    """
    resampled = resampled[np.isfinite(resampled).all(axis=1)]
    mean = float(values.mean())
    drawn = resampled.mean(axis=1)
    over_games = percentile_interval(mean, drawn)
    if over_games is not None and games is not None:
        are_alike = np.ptp(drawn) <= _ROUNDING * max(1.0, abs(mean))
        is_known = games >= MIN_PAIRS and not are_alike
        over_games = _stretched(over_games, games) if is_known else around(mean, math.inf)
    if over_games is None or len(values) == 1 or not over_games.is_known:
        return over_games
    return around(mean, math.hypot(between_trainings(values), over_games.half_width))


def _stretched(interval: Interval, games: int) -> Interval:
    """What is known of an interval over games if there are so many of them."""
    mean = interval.value
    factor = float(t95(games - 1)) * widening(games) / Z95
    below, above = factor * (mean - interval.low), factor * (interval.high - mean)
    return Interval(mean, mean - below, mean + above)


def wilson(successes: int, trials: int) -> Interval:
    """Return a share of one or more trials with Wilson's 95 % interval (1927), within [0, 1].

    It keeps its width if every trial succeeds or none does, unlike a bootstrap's.
    """
    from scipy.stats import binomtest

    ends = binomtest(successes, trials).proportion_ci(method="wilson")
    return Interval(successes / trials, float(ends.low), float(ends.high))
