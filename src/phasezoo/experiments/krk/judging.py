"""The rules by which a claim of the study and our games agree, disagree, or leave it open."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal

import numpy as np

from phasezoo.arena.elo import Interval
from phasezoo.experiments.krk.results import Judgement
from phasezoo.experiments.statistics import ResampledMeans, verdict

__all__ = [
    "BY_RANGE",
    "BY_SHARE",
    "BY_SIGN",
    "THROUGHOUT",
    "by_range",
    "by_share",
    "by_sign",
    "simultaneous",
    "throughout",
]

BY_SIGN = (
    "agrees if the whole 95 % interval lies on the claim’s side of zero, disagrees if it lies on "
    "the other side"
)
BY_SHARE = (
    "agrees if the claim holds in at least 95 % of resamples, disagrees if it holds in at most 5 %"
)
THROUGHOUT = (
    "agrees if every value’s own 95 % interval lies on the claim’s side of zero, disagrees if a "
    "95 % interval that holds for all values together lies on the other side for one of them"
)
BY_RANGE = (
    "agrees if every estimate lies in the range, disagrees if a 95 % interval that holds for all "
    "values together lies outside it for one of them"
)

_HIGH_SHARE = 0.95
_ROUNDING = 1e-9


def by_sign(interval: Interval | None, claimed: Literal["lower", "higher"]) -> Judgement:
    """Judge a claim about a sign by one interval."""
    found = "unclear" if interval is None else verdict(interval)
    if found == "unclear":
        return "not settled"
    return "agrees" if found == claimed else "disagrees"


def by_share(share: float | None) -> Judgement:
    """Judge a claim by the share of resamples in which it holds; None: not measured."""
    if share is None:
        return "not settled"
    if share >= _HIGH_SHARE - _ROUNDING:
        return "agrees"
    return "disagrees" if share <= 1 - _HIGH_SHARE + _ROUNDING else "not settled"


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
    """Intervals that hold for all points together with 95 % (Bonferroni, normal tails).

    Args:
        curve: ``float64[X]`` with ``float64[R, X]``.
    """
    points = len(curve.means)
    z = NormalDist().inv_cdf(1 - 0.025 / max(points, 1))
    found: list[Interval | None] = []
    for mean, draws in zip(curve.means, curve.resampled.T, strict=True):
        finite = draws[np.isfinite(draws)]
        if not np.isfinite(mean) or len(finite) == 0:
            found.append(None)
            continue
        half = z * float(finite.std())
        found.append(Interval(float(mean), float(mean) - half, float(mean) + half))
    return found
