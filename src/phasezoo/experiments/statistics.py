"""Verdicts of intervals, means by cells of an experiment, and trends of curves."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Generic, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.training.resampling import (
    ResampledMeans,
    percentile_interval,
    resample_games,
    widening,
)

Array: TypeAlias = npt.NDArray[np.float64]

Cell = TypeVar("Cell", bound=Hashable)

Verdict: TypeAlias = Literal["lower", "higher", "unclear"]
"""Place of the 95 % interval of a difference: below zero, above zero, or neither."""


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


def wilson(successes: int, trials: int) -> Interval:
    """Return a share of one or more trials with Wilson's 95 % interval (1927), within [0, 1].

    It keeps its width if every trial succeeds or none does, unlike a bootstrap's.
    """
    from scipy.stats import binomtest

    ends = binomtest(successes, trials).proportion_ci(method="wilson")
    return Interval(successes / trials, float(ends.low), float(ends.high))


@dataclass(frozen=True)
class CellMeans(Generic[Cell]):
    """Means of M measures in N cells, with their bootstrap over the games of each cell."""

    cells: list[Cell]
    """The cells."""
    measures: list[str]
    """Names of the measures."""
    means: Array
    """``float64[N, M]``."""
    resampled: Array
    """``float64[R, N, M]``."""

    def curve(self, measure: str, groups: Sequence[Sequence[Cell]]) -> ResampledMeans:
        """Return one point per group of cells: the mean over its cells, each with equal weight.

        A cell without games, or a group without cells, makes the point NaN.

        Returns:
            Means ``float64[X]`` and their resampled counterparts ``float64[R, X]``.
        """
        column = self.measures.index(measure)
        place_of = {cell: place for place, cell in enumerate(self.cells)}
        means = np.full(len(groups), np.nan)
        resampled = np.full((len(self.resampled), len(groups)), np.nan)
        for i, group in enumerate(groups):
            if group and all(cell in place_of for cell in group):
                places = [place_of[cell] for cell in group]
                means[i] = self.means[places, column].mean()
                resampled[:, i] = self.resampled[:, places, column].mean(axis=1)
        return ResampledMeans(means, resampled)

    def each(self, measure: str, cells: Iterable[Cell]) -> ResampledMeans:
        """Return one point per cell."""
        return self.curve(measure, [[cell] for cell in cells])


def cell_means(
    parts: Mapping[Cell, Array],
    measures: Sequence[str],
    stream_of: Callable[[Cell], np.random.Generator],
    resamples: int,
) -> CellMeans[Cell]:
    """Average measures over the games of each cell, and over draws of them with replacement.

    A draw's distance to the mean is divided by the root of chi-squared over its degrees of freedom,
    one number for a cell and draw: so a cell of n games has Student's tails with n - 1 degrees of
    freedom, and a mean over cells about those of its own (Satterthwaite 1946). Games count that
    have a part of the denominator; a cell with one such game has no interval.

    Args:
        parts: ``float64[G, M, 2]`` by cell: a game's part of the numerator and of the denominator.
            A cell's mean is the ratio of the sums over its games.
        measures: Names of the M measures.
        stream_of: Returns the random stream of a cell.
        resamples: Number R of draws.
    """
    means = np.empty((len(parts), len(measures)))
    resampled = np.empty((resamples, len(parts), len(measures)))
    for place, (cell, games) in enumerate(parts.items()):
        rng = stream_of(cell)
        found = resample_games(games[..., 0], games[..., 1], rng, resamples)
        counted = (games[..., 1] != 0).sum(axis=0)
        spread = np.full((resamples, len(measures)), np.nan)
        for count in sorted({int(n) for n in counted if n > 1}, reverse=True):
            tails = np.sqrt((count - 1) / rng.chisquare(count - 1, resamples))
            spread[:, counted == count] = widening(count) * tails[:, None]
        means[place] = found.means
        resampled[:, place] = found.means + spread * (found.resampled - found.means)
    return CellMeans(list(parts), list(measures), means, resampled)


@dataclass(frozen=True)
class Estimates:
    """A curve, by 95 % intervals."""

    each: list[Interval | None]
    """Each point by itself; None if it does not exist."""
    together: list[Interval | None]
    """Wider intervals, which hold for all points together."""
    mean: Interval | None
    """Mean of the points."""
    shares: list[float]
    """Share of resamples in which each point is lowest; they add up to 1."""
    contenders: list[int]
    """Places of the points that may be lowest, with 95 %."""


def estimates_of(curve: ResampledMeans, *, lowest: bool = True) -> Estimates:
    """Return the intervals of a curve's points and of their mean, and where it is lowest.

    Args:
        curve: ``float64[X]`` with ``float64[R, X]``.
        lowest: False to leave out where it is lowest, which compares every point with every other.
    """
    mean = ResampledMeans(curve.means.mean(), curve.resampled.mean(axis=1))
    return Estimates(
        each=intervals(curve),
        together=simultaneous(curve),
        mean=interval_of(mean),
        shares=argmin_shares(curve) if lowest else [],
        contenders=contenders(curve) if lowest else [],
    )


def interval_of(number: ResampledMeans) -> Interval | None:
    """Return the 95 % interval of one number; None if it does not exist.

    Args:
        number: A number with ``float64[R]``.
    """
    return percentile_interval(float(number.means), number.resampled)


def mean_of_known(curve: ResampledMeans) -> ResampledMeans:
    """Return the mean over points that have an interval, the same points in every draw.

    A draw that leaves one of them without a number has no mean: that of the others is another.

    Args:
        curve: ``float64[X]`` with ``float64[R, X]``.
    """
    kept = np.isfinite(curve.means) & np.isfinite(curve.resampled).any(axis=0)
    if not kept.any():
        return ResampledMeans(np.asarray(np.nan), np.full(len(curve.resampled), np.nan))
    drawn = curve.resampled[:, kept].mean(axis=1)
    return ResampledMeans(np.asarray(curve.means[kept].mean()), drawn)


def intervals(sample: ResampledMeans) -> list[Interval | None]:
    """Return a 95 % interval for every point, None where there is no number.

    Args:
        sample: ``float64[X]`` with ``float64[R, X]``.
    """
    points = zip(sample.means, sample.resampled.T, strict=True)
    return [percentile_interval(float(mean), draws) for mean, draws in points]


def average(samples: Sequence[ResampledMeans]) -> ResampledMeans:
    """Return the mean of several curves, resample by resample."""
    return ResampledMeans(
        np.mean([s.means for s in samples], axis=0),
        np.mean([s.resampled for s in samples], axis=0),
    )


def joined(numbers: Sequence[ResampledMeans]) -> ResampledMeans:
    """Return a curve of single numbers, resample by resample.

    Args:
        numbers: Numbers, each with ``float64[R]``.
    """
    return ResampledMeans(
        np.array([one.means for one in numbers]),
        np.stack([one.resampled for one in numbers], axis=1),
    )


def simultaneous(curve: ResampledMeans) -> list[Interval | None]:
    """Return intervals that hold for all points together with 95 % (Bonferroni).

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


def contenders(curve: ResampledMeans) -> list[int]:
    """Return the places at which a curve may be lowest: a set that holds the true one with 95 %.

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


def argmin_shares(curve: ResampledMeans) -> list[float]:
    """Return the share of resamples in which each point is lowest; points that tie divide it.

    Args:
        curve: ``float64[X]`` with ``float64[R, X]``.

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


def rise(curve: ResampledMeans) -> ResampledMeans:
    """Return how steadily a curve rises: Kendall's tau with the order of its points, in [-1, 1].

    The number of pairs whose later point is higher, less those whose later point is lower, by
    sqrt(pairs * pairs that do not tie) (tau-b: Kendall 1945): 1 rises from each point to the next,
    -1 falls.

    Args:
        curve: ``float64[X]`` with ``float64[R, X]``, in rising order of x.

    Returns:
        A number with ``float64[R]``; NaN for fewer than two points, and for a constant curve.
    """
    return ResampledMeans(_rise(curve.means[None])[0], _rise(curve.resampled))


def correlation(first: ResampledMeans, second: ResampledMeans) -> ResampledMeans:
    """Return Pearson's correlation of two curves over their points; NaN if one of them is constant.

    Args:
        first: ``float64[X]`` with ``float64[R, X]``.
        second: The same points of another curve.
    """
    means = _correlation(first.means[None], second.means[None])[0]
    return ResampledMeans(means, _correlation(first.resampled, second.resampled))


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


def resample_weights(rng: np.random.Generator, count: int, draws: int) -> Array:
    """Return the share of each of ``count`` things in draws with replacement.

    Returns:
        ``float64[draws, count]``, whose product with the things' values are the draws' means.
    """
    return rng.multinomial(count, np.full(count, 1 / count), size=draws) / count
