"""The rules by which a claim of the study and our games agree, disagree, or leave it open."""

from collections.abc import Collection, Sequence
from statistics import NormalDist
from typing import Literal

import numpy as np

from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import Judgement, by_sign
from phasezoo.experiments.statistics import ResampledMeans

__all__ = [
    "BY_CONTENDERS",
    "BY_RANGE",
    "BY_SIGN",
    "THROUGHOUT",
    "by_contenders",
    "by_range",
    "contenders",
    "simultaneous",
    "throughout",
]

BY_SIGN = (
    "agrees if the whole 95 % interval lies on the claim’s side of zero, disagrees if it lies on "
    "the other side"
)
BY_CONTENDERS = (
    "a value may be best as long as no other is lower by a 95 % interval that holds for all others "
    "together; agrees if only what the study names may be best, disagrees if it may not"
)
THROUGHOUT = (
    "agrees if every value’s own 95 % interval lies on the claim’s side of zero, disagrees if a "
    "95 % interval that holds for all values together lies on the other side for one of them"
)
BY_RANGE = (
    "agrees if every estimate lies in the range, disagrees if a 95 % interval that holds for all "
    "values together lies outside it for one of them"
)


def contenders(curve: ResampledMeans) -> list[int]:
    """The places at which a curve may be lowest: a set that holds the true one with 95 %.

    A bootstrap distribution of the arg-min is not calibrated where a curve is nearly flat, so
    verdicts rest on differences: a place is out if another is lower, by an interval that holds for
    all its differences together.

    Args:
        curve: ``float64[X]`` with ``float64[R, X]``; points that are NaN are never lowest.
    """
    kept = []
    for place in np.flatnonzero(np.isfinite(curve.means)):
        above = ResampledMeans(
            curve.means[place] - np.delete(curve.means, place),
            curve.resampled[:, [place]] - np.delete(curve.resampled, place, axis=1),
        )
        if not any(i is not None and i.low > 0 for i in simultaneous(above)):
            kept.append(int(place))
    return kept


def by_contenders(
    possible: Collection[float], claimed: Collection[float], measured: Collection[float]
) -> Judgement:
    """Judge a claim about where a curve is lowest.

    Args:
        possible: Values that may be best, from :func:`contenders`.
        claimed: Values of which the study says that one is best.
        measured: All values the curve was measured at; if there is no other than the claimed
            ones, nothing is settled.
    """
    if not possible or not set(claimed) & set(measured) or set(measured) <= set(claimed):
        return "not settled"
    if set(possible) <= set(claimed):
        return "agrees"
    return "not settled" if set(possible) & set(claimed) else "disagrees"


def throughout(curve: Sequence[Interval | None], together: Sequence[Interval | None],
               claimed: Literal["lower", "higher"]) -> Judgement:  # fmt: skip
    """Judge a claim that a sign holds at every value.

    Args:
        curve: Each value's own 95 % interval: all of them on the claim's side shows the claim
            (an intersection-union test, which needs no correction).
        together: Wider intervals that hold for all values together with 95 %: one of them on the
            other side refutes it.
        claimed: The side.
    """
    if any(by_sign(interval, claimed) == "disagrees" for interval in together):
        return "disagrees"
    shown = [by_sign(interval, claimed) == "agrees" for interval in curve]
    return "agrees" if shown and all(shown) else "not settled"


def by_range(together: Sequence[Interval | None], low: float, high: float) -> Judgement:
    """Judge a claim that all values lie in [``low``, ``high``].

    Args:
        together: Estimates with intervals that hold for all of them together with 95 %.
        low: Lower end of the range.
        high: Upper end of the range.
    """
    measured = [i for i in together if i is not None]
    if any(i.high < low or i.low > high for i in measured):
        return "disagrees"
    inside = bool(measured) and all(low <= i.value <= high for i in measured)
    return "agrees" if inside else "not settled"


def simultaneous(curve: ResampledMeans) -> list[Interval | None]:
    """Intervals that hold for all points together with 95 % (Bonferroni).

    Each end is the outer one of normal tails, which know nothing of bounds such as a correlation's,
    and of quantiles, of which few resamples tell the far ones badly.

    Args:
        curve: ``float64[X]`` with ``float64[R, X]``.
    """
    points = len(curve.means)
    tail = 0.025 / max(points, 1)
    z = NormalDist().inv_cdf(1 - tail)
    found: list[Interval | None] = []
    for mean, draws in zip(curve.means, curve.resampled.T, strict=True):
        finite = draws[np.isfinite(draws)]
        if not np.isfinite(mean) or len(finite) == 0:
            found.append(None)
            continue
        half = z * float(finite.std())
        low, high = np.quantile(finite, (tail, 1 - tail))
        ends = min(mean - half, low), max(mean + half, high)
        found.append(Interval(float(mean), float(ends[0]), float(ends[1])))
    return found
