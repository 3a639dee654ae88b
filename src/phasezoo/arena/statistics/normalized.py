"""Elo normalised by the spread of results (``docs/definitions/statistics.md``)."""

import math
from collections.abc import Sequence

import numpy as np

from phasezoo.arena.statistics.elo import pair_score_statistics
from phasezoo.arena.statistics.intervals import (
    MIN_PAIRS,
    PRIOR_PAIRS,
    Array,
    Interval,
    score_ends,
    t95,
)

ELO_PER_T = 800 / math.log(10)
"""Normalised Elo of a mean score that is one standard deviation of a game's result above 1/2."""

TINY = 1e-12
"""Deviations below it are rounding."""

FAR = 0.2
"""Beyond mean scores this far from 1/2 the far end of an interval is infinite."""


def normalized_elo(scores: Sequence[float]) -> Interval:
    """Normalised Elo from the scores of pairs of games, with its 95 % interval.

    It is 800 / log(10) (m - 1/2) / (sqrt(2) s), with mean m and standard deviation s of the pair
    scores; sqrt(2) s is a game's (Van den Bergh, "Normalized Elo"). It says how many games a
    difference takes to be seen: draws, which make logistic Elo small, make s small too.

    Args:
        scores: One score in [0, 1] per pair: the mean of its two games.

    Returns:
        The value, which is infinite if all pairs score alike, but for 1/2, and the ends of
        :func:`t_ends`.

    Raises:
        InvalidConfig: There are no scores, or one is outside [0, 1].
    """
    pair_score_statistics(scores)
    seen, times = np.unique(np.asarray(scores, dtype=np.float64), return_counts=True)
    counts = times[None].astype(np.float64)
    found = (_t_with_error(seen, counts)[0], *t_ends(seen, counts))
    value, low, high = (ELO_PER_T / math.sqrt(2) * float(one[0]) for one in found)
    return Interval(value, low, high)


def t_ends(scores: Array, counts: Array) -> tuple[Array, Array]:
    """Return both ends of the 95 % interval of (m - 1/2) / s, for many matches at once.

    The variance of that ratio is (1 - t g + t^2 (k - 1) / 4) / n, with skewness g and kurtosis k
    (by the delta method: Mertens 2002, of the Sharpe ratio, which it is). The ends are the outer
    ones of two intervals by Student's t: of the scores, and of the scores with
    :data:`~phasezoo.arena.statistics.intervals.PRIOR_PAIRS` more of 1 and as many of 0. If the mean
    is farther than :data:`FAR` from 1/2, the end away from 1/2 is infinite: so little is known of
    the spread then. The end towards 0 is at least as far from it as :func:`score_ends` of the mean
    allows. With fewer than :data:`~phasezoo.arena.statistics.intervals.MIN_PAIRS` scores both are
    infinite.

    Args:
        scores: ``float64[K]``: the different scores, in [0, 1].
        counts: ``float64[M, K]``: how often each match had each.
    """
    number = counts.sum(axis=1)
    half = t95(np.maximum(number - 1, 1))
    value, error = _t_with_error(scores, counts)
    own = half * error * np.sqrt(number / np.maximum(number - 1, 1))
    imagined = np.concatenate([counts, np.full((len(counts), 2), PRIOR_PAIRS)], axis=1)
    centre, error = _t_with_error(np.concatenate([scores, [0.0, 1.0]]), imagined)
    low = np.minimum(np.minimum(centre - half * error, value), value - own)
    high = np.maximum(np.maximum(centre + half * error, value), value + own)
    mean = counts @ scores / number
    variance = np.maximum(counts @ scores**2 / number - mean**2, 0)
    lowest, highest = score_ends(mean, variance, number)
    low = np.where(lowest > 0.5, np.maximum(low, np.minimum(_least_t(lowest), value)), low)
    high = np.where(highest < 0.5, np.minimum(high, np.maximum(_least_t(highest), value)), high)
    away, is_few = mean - 0.5, number < MIN_PAIRS
    low = np.where(is_few | (away < -FAR), -np.inf, low)
    return low, np.where(is_few | (away > FAR), np.inf, high)


def _least_t(means: Array) -> Array:
    """Return the (m - 1/2) / s nearest to 0 that scores in [0, 1] with a mean can have.

    Their spread is widest if all are 0 or 1.
    """
    spread = np.sqrt(np.maximum(means * (1 - means), TINY**2))
    return np.asarray((means - 0.5) / spread)


def _t_with_error(scores: Array, counts: Array) -> tuple[Array, Array]:
    """(m - 1/2) / s with its standard error.

    Without a spread the first is infinite, or 0 at 1/2, and the second 0.
    """
    number = counts.sum(axis=1)
    chances = counts / number[:, None]
    away = chances @ (scores - 0.5)
    apart = scores - 0.5 - away[:, None]
    deviation = np.sqrt((chances * apart**2).sum(axis=1))
    has_spread = deviation > TINY
    scale = np.where(has_spread, deviation, 1.0)
    endless = np.where(np.abs(away) > TINY, np.copysign(np.inf, away), 0.0)
    t = away / scale
    skewness, kurtosis = ((chances * (apart / scale[:, None]) ** p).sum(axis=1) for p in (3, 4))
    variance = np.maximum(1 - t * skewness + t**2 * (kurtosis - 1) / 4, 0) / number
    return np.where(has_spread, t, endless), np.where(has_spread, np.sqrt(variance), 0.0)
