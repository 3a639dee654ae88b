"""Means over positions with what they might have been: whole games are drawn again (bootstrap)."""

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]

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


def percentiles(value: float, resampled: Array) -> tuple[float, float] | None:
    """The ends of the percentile bootstrap's 95 % interval (Efron 1979).

    Args:
        value: The estimate.
        resampled: ``float64[R]``: the same for R draws of games; those without a value count not.

    Returns:
        Its ends, or None if the number does not exist.
    """
    resampled = resampled[np.isfinite(resampled)]
    if not np.isfinite(value) or len(resampled) == 0:
        return None
    low, high = np.quantile(resampled, (0.025, 0.975))
    # A skewed resampling may leave the estimate outside its own quantiles by a hair.
    return min(float(low), value), max(float(high), value)


def _ratio(numerator: Array, denominator: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: Array = np.where(denominator > 0, numerator / denominator, np.nan)
    return ratio
