"""Means over positions with what they might have been: whole games are drawn again (bootstrap)."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["ResampledMeans", "percentiles", "resample_games"]

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
