"""Intervals of means: over the games by resampling, over trainings by Student's t.

Two sources of chance are kept apart: which games happened to be drawn, and how a training happened
to come out. The same for matches is in :mod:`phasezoo.arena.statistics.crossed_trainings`.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.intervals import MIN_PAIRS, Z95, Interval, t95

Array: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.int64]

# Rows of weights made at once; bounds the memory of a resampling over many games.
_CHUNK = 64


@dataclass(frozen=True)
class ResampledMeans:
    """Means per position with their resampled counterparts."""

    means: Array
    """``float64[...]``: sum over games / positions over games; NaN if no position is."""
    resampled: Array
    """``float64[R, ...]``: the same, for R draws of as many games with replacement."""


def resample_games(
    sums: Array, counts: Array, rng: np.random.Generator, resamples: int = 2000
) -> ResampledMeans:
    """Bootstrap means per position by drawing whole games with replacement (Efron 1979).

    Positions of one game resemble each other, so games are drawn, not positions.

    Args:
        sums: ``float64[G, ...]``: sums over each game's positions.
        counts: ``float64[G, ...]``: numbers of positions, broadcast against ``sums``.
        rng: Where the draws come from.
        resamples: Number R of draws.
    """
    games = sums.shape[0]
    if games == 0:  # nothing can be drawn, and every mean is of nothing
        nothing = np.full(sums.shape[1:], np.nan)
        return ResampledMeans(nothing, np.full((resamples, *nothing.shape), np.nan))
    counts = np.broadcast_to(counts, sums.shape)
    flat_sums, flat_counts = sums.reshape(games, -1), counts.reshape(games, -1)
    resampled = np.empty((resamples, flat_sums.shape[1]))
    chances = np.full(games, 1.0 / games)
    for start in range(0, resamples, _CHUNK):
        stop = min(start + _CHUNK, resamples)
        weights = rng.multinomial(games, chances, size=stop - start).astype(np.float64)
        resampled[start:stop] = _ratio(weights @ flat_sums, weights @ flat_counts)
    means = _ratio(flat_sums.sum(axis=0), flat_counts.sum(axis=0))
    shape = sums.shape[1:]
    return ResampledMeans(means.reshape(shape), resampled.reshape((resamples, *shape)))


def sums_by_game(values: Array, games: npt.NDArray[Any]) -> tuple[Array, Array]:
    """Sums over the positions of each game, and numbers of them, as they are resampled.

    Args:
        values: ``float64[..., P]``: nan where a position does not count.
        games: ``[P]``: the game of each position.

    Returns:
        ``float64[G, ...]`` twice, without games of which nothing counts.
    """
    counts = np.isfinite(values)
    kept = counts.any(axis=tuple(range(values.ndim - 1)))
    _, game = np.unique(games[kept], return_inverse=True)
    shape = (int(game.max(initial=-1)) + 1, *values.shape[:-1])
    sums, numbers = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, game, np.moveaxis(np.where(counts, values, 0.0)[..., kept], -1, 0))
    np.add.at(numbers, game, np.moveaxis(counts[..., kept].astype(np.float64), -1, 0))
    return sums, numbers


def sums_by_kind(
    values: Array | None, game: npt.NDArray[Any], kind: npt.NDArray[Any], games: int, kinds: int
) -> Array:
    """Return sums over the positions of each game by their kind, then over all of them.

    Args:
        values: ``float64[P]``; None counts positions.
        game: ``[P]``: the game of each position, from 0.
        kind: ``[P]``: which of the kinds each belongs to, such as its phase.
        games: Number G of games.
        kinds: Number n of kinds.

    Returns:
        ``float64[G, n + 1]``.
    """
    sums = np.bincount(game * kinds + kind, weights=values, minlength=games * kinds)
    sums = sums.reshape(games, kinds).astype(np.float64)
    return np.concatenate([sums, sums.sum(axis=1, keepdims=True)], axis=1)


def widening(games: int) -> float:
    """Factor of an unbiased variance of resampled means: that of n draws is (n - 1) / n of it.

    Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), section 5.3.
    """
    return math.sqrt(games / (games - 1)) if games > 1 else 1.0


def _ratio(numerator: Array, denominator: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: Array = np.where(denominator > 0, numerator / denominator, np.nan)
    return ratio


_ROUNDING = 1e-12
"""Means of numbers that are all alike differ by no more, by their size."""


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
    resampled = resampled[np.isfinite(resampled)]
    if not np.isfinite(value) or len(resampled) == 0:
        return None
    low, high = np.quantile(resampled, (0.025, 0.975))
    # A skewed resampling may leave the estimate outside its own quantiles by a hair.
    return Interval(value, min(float(low), value), max(float(high), value))


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
    """Return an interval over games, stretched for so few of them."""
    mean = interval.value
    factor = float(t95(games - 1)) * widening(games) / Z95
    below, above = factor * (mean - interval.low), factor * (interval.high - mean)
    return Interval(mean, mean - below, mean + above)


@dataclass(frozen=True)
class Sample:
    """A number of some positions, such as a network's loss there."""

    values: Array
    """``float64[K, P]``: in each of K trainings."""
    game: npt.NDArray[Any]
    """``[P]``: the game of each, from 0."""
    kind: npt.NDArray[Any]
    """``[P]``: which of the kinds each belongs to."""


@dataclass(frozen=True)
class Means:
    """Means of named samples by kind; the last kind is all positions together."""

    _samples: Mapping[Any, Sample]
    _names: list[Hashable]
    _means: Array
    _resampled: Array
    _games: Indices | None

    def value(self, name: Hashable, kind: int) -> float | None:
        """Return the mean of a sample over a kind and over trainings; None over nothing."""
        value = self._means[:, self._names.index(name), kind].mean()
        return float(value) if np.isfinite(value) else None

    def mean(self, name: Hashable, kind: int) -> Interval | None:
        """Return the mean of a sample over a kind with its interval; None over nothing."""
        row = self._names.index(name)
        return over_trainings(
            self._means[:, row, kind], self._resampled[:, :, row, kind], self._least(kind, row)
        )

    def apart(self, name: Hashable, other: Hashable, kind: int) -> Array:
        """Return ``float64[K]``: the mean of a sample less another's in each training."""
        one, two = self._names.index(name), self._names.index(other)
        gap: Array = self._means[:, one, kind] - self._means[:, two, kind]
        return gap

    def difference(self, name: Hashable, other: Hashable, kind: int) -> Interval | None:
        """Return the mean of a sample less another's, the same games being drawn for both."""
        one, two = self._names.index(name), self._names.index(other)
        return over_trainings(
            self.apart(name, other, kind),
            self._resampled[:, :, one, kind] - self._resampled[:, :, two, kind],
            self._least(kind, one, two),
        )

    def ratio(self, name: Hashable, other: Hashable, kind: int) -> Interval | None:
        """Return the mean of a sample by another's; None if that may be zero."""
        one, two = self._names.index(name), self._names.index(other)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self._means[:, one, kind] / self._means[:, two, kind]
            drawn = self._resampled[:, :, one, kind] / self._resampled[:, :, two, kind]
        if not np.isfinite(found).all():
            return None
        return over_trainings(found, drawn, self._least(kind, one, two))

    def is_same(self, name: Hashable, other: Hashable, kind: int) -> bool:
        """Return True if two samples hold the same numbers, at every position of a kind.

        Of numbers such as losses that means that one and the same network answered in both, so
        that nothing is left to chance in their difference.
        """
        one, two = self._samples[name], self._samples[other]
        if one.values.shape != two.values.shape or not np.array_equal(one.kind, two.kind):
            return False
        is_all = kind == self._means.shape[-1] - 1
        own = np.ones_like(one.kind, dtype=bool) if is_all else one.kind == kind
        return bool(own.any()) and np.array_equal(one.values[:, own], two.values[:, own])

    def _least(self, kind: int, *rows: int) -> int | None:
        return None if self._games is None else int(self._games[list(rows), kind].min())


def means_of(
    samples: Mapping[Any, Sample],
    kinds: int,
    games: int,
    rng: np.random.Generator,
    resamples: int,
    *,
    widened: bool = True,
) -> Means:
    """Take means by kind, and draw games again for their intervals.

    Args:
        samples: By name; all have the same number of trainings.
        kinds: Kinds that there are besides all together.
        games: Games that there are.
        rng: Draws them.
        resamples: Number of draws.
        widened: False to leave intervals of few games as the draws give them.
    """
    sums, counts = [], []
    for sample in samples.values():
        at = sample.game, sample.kind, games, kinds
        counts.append(sums_by_kind(None, *at))
        sums.append(np.stack([sums_by_kind(row, *at) for row in sample.values]))
    # [sample, training, game, kind] -> [game, training, sample, kind], as resample_games wants it
    stacked = np.transpose(np.stack(sums), (2, 1, 0, 3))
    positions = np.transpose(np.stack(counts), (1, 0, 2))
    found = resample_games(stacked, positions[:, None], rng, resamples)
    reached = (positions > 0).sum(axis=0) if widened else None
    return Means(samples, list(samples), found.means, found.resampled, reached)
