"""Scores and gaps with their 95 % intervals, from the samples of one cell or of two.

The helpers are those of matches and of the other studies; which of them fits is decided here, once
(``docs/definitions/generalise.md``).
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.intervals import MIN_PAIRS, Interval, score_ends
from phasezoo.arena.statistics.rates import rate_of
from phasezoo.experiments.generalisation.scores import Sample, Score
from phasezoo.experiments.statistics import between_trainings, over_trainings, resample_games

__all__ = ["MIN_GROUPS", "gap_of", "score_of"]

MIN_GROUPS = 10
"""With fewer groups that have the score, a bootstrap says nothing of the ends."""

Array = npt.NDArray[np.float64]


def score_of(samples: Sequence[Sample], score: Score, seed: int, resamples: int) -> Interval | None:
    """The score of a cell from each training's sample; None if nothing was counted.

    The ends are infinite if too little was counted to say where they are.
    """
    sums, counts = _stacked(samples)
    if score.kind == "share":
        by_group = sums / counts
        means = np.clip(by_group.mean(axis=1), 0.0, 1.0)
        size = max(1, math.floor(counts.min()))
        own = rate_of(means.tolist(), size) if len(means) >= MIN_PAIRS else None
        if own is None:
            return Interval(float(means.mean()), -math.inf, math.inf)
        return _with_trainings(own, by_group.mean(axis=0), (0.0, 1.0))
    rng = np.random.default_rng(seed)
    drawn = resample_games(sums, counts, rng, resamples)
    found = over_trainings(drawn.means, drawn.resampled)
    return None if found is None else _trusted(found, _ratios(sums, counts))


def gap_of(
    own: Sequence[Sample], there: Sequence[Sample], score: Score, seed: int, resamples: int
) -> Interval | None:
    """How much worse a cell is than the one that learnt where both are tested.

    It is above 0 if it is worse, whichever numbers are good. Groups are compared with themselves:
    both were tested on the same. None if nothing was counted.
    """
    sign = 1.0 if score.better == "lower" else -1.0
    (sums, counts), (sums_there, counts_there) = _stacked(own), _stacked(there)
    if score.kind == "share":
        by_group = sign * (sums / counts - sums_there / counts_there)
        return _share_gap(by_group)
    both = np.stack([sums, sums_there], axis=2), np.stack([counts, counts_there], axis=2)
    drawn = resample_games(*both, np.random.default_rng(seed), resamples)
    means = sign * (drawn.means[:, 0] - drawn.means[:, 1])
    found = over_trainings(means, sign * (drawn.resampled[..., 0] - drawn.resampled[..., 1]))
    if found is None:
        return None
    ratios = _ratios(*both)
    return _trusted(found, ratios[..., 0] - ratios[..., 1])


def _share_gap(by_group: Array) -> Interval:
    """Differences in [-1, 1] as scores in [0, 1], whose interval is that of matches."""
    means = by_group.mean(axis=1)
    scores = (means + 1) / 2
    value = float(means.mean())
    if len(means) < MIN_PAIRS:
        return Interval(value, -math.inf, math.inf)
    low, high = score_ends(float(scores.mean()), float(scores.var()), len(scores))
    ends = min(2 * float(low) - 1, value), max(2 * float(high) - 1, value)
    return _with_trainings(Interval(value, *ends), by_group.mean(axis=0), (-1.0, 1.0))


def _with_trainings(own: Interval, trainings: Array, bounds: tuple[float, float]) -> Interval:
    """An interval over groups that counts the spread between K trainings too."""
    if len(trainings) == 1:
        return own
    between = between_trainings(trainings)
    low = own.value - math.hypot(own.value - own.low, between)
    high = own.value + math.hypot(own.high - own.value, between)
    return Interval(own.value, max(low, bounds[0]), min(high, bounds[1]))


def _stacked(samples: Sequence[Sample]) -> tuple[Array, Array]:
    """``float64[G, K]`` each."""
    sums = np.array([sample.sums for sample in samples], dtype=np.float64).T
    return sums, np.array([sample.counts for sample in samples], dtype=np.float64).T


def _ratios(sums: Array, counts: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios: Array = sums / counts
    return ratios


def _trusted(found: Interval, ratios: Array) -> Interval:
    """The interval, unless too few groups have the score or all of them are alike.

    A bootstrap of groups that are alike has no width, however few they are.
    """
    known = ratios[np.isfinite(ratios).reshape(len(ratios), -1).all(axis=1)]
    if len(known) >= MIN_GROUPS and np.ptp(known, axis=0).max() > 0:
        return found
    return Interval(found.value, -math.inf, math.inf)
