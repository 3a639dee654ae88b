"""Numbers that say how a curve runs: whether it rises, where it is lowest, what it follows."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from phasezoo.arena.elo import Interval
from phasezoo.experiments.krk.judging import contenders
from phasezoo.experiments.krk.resampling import Array
from phasezoo.experiments.krk.results import Choice
from phasezoo.experiments.statistics import ResampledMeans
from phasezoo.report import numbers

__all__ = ["argmin_shares", "choice", "correlation", "rise", "told"]


def rise(curve: ResampledMeans) -> ResampledMeans:
    """How steadily a curve rises: Kendall's tau with the order of its points, in [-1, 1].

    Among pairs of points, those of which the later is higher, less those of which it is lower, by
    sqrt(pairs * pairs that do not tie) (tau-b: Kendall 1945): 1 rises from each point to the next,
    -1 falls.

    Args:
        curve: ``float64[X]`` with ``float64[R, X]``, in rising order of x.

    Returns:
        A number with ``float64[R]``; NaN for fewer than two points, and for a constant curve.
    """
    return ResampledMeans(_rise(curve.means[None])[0], _rise(curve.resampled))


def correlation(first: ResampledMeans, second: ResampledMeans) -> ResampledMeans:
    """Pearson's correlation of two curves over their points; NaN if one of them is constant.

    Args:
        first: ``float64[X]`` with ``float64[R, X]``.
        second: The same points of another curve.
    """
    means = _correlation(first.means[None], second.means[None])[0]
    return ResampledMeans(means, _correlation(first.resampled, second.resampled))


def told(trend: Interval | None) -> str:
    """A correlation or tau with its interval, or that too few points leave it unknown."""
    return "not known, for too few values" if trend is None else numbers.signed_interval(trend, 2)


def argmin_shares(curve: ResampledMeans) -> list[float]:
    """The share of resamples in which each point is the lowest; points that tie divide it.

    Returns:
        One number per point; they add up to 1, or are all 0 if nothing was measured.
    """
    values = np.where(np.isnan(curve.resampled), np.inf, curve.resampled)
    if not np.isfinite(values).any():
        return [0.0] * values.shape[1]
    values = values[np.isfinite(values).any(axis=1)]
    is_lowest = values == values.min(axis=1, keepdims=True)
    shares = (is_lowest / is_lowest.sum(axis=1, keepdims=True)).mean(axis=0)
    return [float(share) for share in shares]


def choice(
    name: str,
    axis: Literal["C", "T"],
    values: Sequence[float],
    curve: ResampledMeans,
    claimed: Sequence[float] = (),
) -> Choice:
    """Where a curve over ``values`` is lowest, and what the study says of it."""
    x = [float(value) for value in values]
    return Choice(
        name=name,
        axis=axis,
        values=x,
        shares=argmin_shares(curve),
        contenders=[x[place] for place in contenders(curve)],
        claimed=[float(value) for value in claimed],
    )


def _rise(curves: Array) -> Array:
    """Kendall's tau of every row of ``float64[R, X]`` with its columns' order."""
    from scipy.stats import kendalltau

    order = np.arange(curves.shape[1])
    if len(order) < 2:
        return np.full(len(curves), np.nan)
    return np.array([kendalltau(row, order).statistic for row in curves])


def _correlation(first: Array, second: Array) -> Array:
    one = first - first.mean(axis=1, keepdims=True)
    other = second - second.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
        found: Array = np.where(scale > 0, (one * other).sum(axis=1) / scale, np.nan)
    return found
