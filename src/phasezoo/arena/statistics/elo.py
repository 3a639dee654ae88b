"""Elo differences with their intervals (``docs/definitions/statistics.md``).

None of these functions ever returns NaN.
"""

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np

from phasezoo.arena.statistics.intervals import Z95, Interval, score_ends
from phasezoo.checking import shown
from phasezoo.errors import InvalidConfig


def elo_of_score(score: float) -> float:
    """Return the rating difference that predicts ``score``: -400 log10(1 / score - 1).

    Infinite at 0 and 1.
    """
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 0.0 - 400 * math.log10(1 / score - 1)  # 0 at 1/2, not -0


def elo_slope(score: float) -> float:
    """Elo per unit of score at ``score``, the derivative of :func:`elo_of_score`."""
    if not 0 < score < 1:
        return math.inf
    return 400 / math.log(10) / (score * (1 - score))


def interval_of_score(mean: float, error: float, z: float = Z95) -> Interval:
    """Elo of a mean score, with ends at ``mean ± z * error`` clipped to [0, 1]."""
    low, high = max(mean - z * error, 0.0), min(mean + z * error, 1.0)
    return Interval(elo_of_score(mean), elo_of_score(low), elo_of_score(high))


def pair_score_statistics(scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and the standard error of the mean, of pair scores in [0, 1].

    The error is sqrt(population variance / pairs), as fastchess has it.
    """
    if not hasattr(scores, "__len__"):
        message = f"scores={shown(scores)}: give a list of the scores of pairs, such as [0.5, 1.0]"
        raise InvalidConfig(message)
    if len(scores) == 0:
        message = "no finished pair of games: a match needs at least one"
        raise InvalidConfig(message)
    given: Sequence[object] = scores
    wrong = [one for one in given if not isinstance(one, Real) or not 0 <= one <= 1]  # type: ignore[operator]
    if wrong:
        message = f"pair scores are numbers in [0, 1], and one is {shown(wrong[0])}"
        raise InvalidConfig(message)
    count = len(scores)
    mean = math.fsum(scores) / count
    variance = math.fsum((score - mean) ** 2 for score in scores) / count
    return mean, math.sqrt(variance / count)


def is_count(value: object) -> bool:
    """Return whether a value is a number of games: whole, not negative, exact as a float."""
    return isinstance(value, int | np.integer) and value is not True and 0 <= int(value) <= 2**53


def pentanomial_elo(scores: Sequence[float]) -> Interval:
    """Elo from the scores of pairs of games with the same opening and colours swapped.

    Unlike :func:`trinomial_elo` it does not take the two games of a pair for independent, so an
    opening that favours one colour does not widen the interval.

    The value is Elo of the mean score, the ends of the interval are Elo of :func:`score_ends`: they
    have a width also if all pairs score alike, and with fewer than :data:`MIN_PAIRS` pairs they are
    infinite. ``docs/definitions/statistics.md`` says how often they hold the true difference.

    Args:
        scores: One score in [0, 1] per pair: the mean of its two games.

    Raises:
        InvalidConfig: See :func:`pair_score_statistics`.
    """
    mean, error = pair_score_statistics(scores)
    return elo_interval(mean, error, len(scores))


def trinomial_elo(wins: int, draws: int, losses: int) -> Interval:
    """Elo from single games, for standing beside published figures, which are made so.

    The interval is that of :func:`pentanomial_elo` with games in the place of pairs. For many games
    it is cutechess's (elo.cpp), which has its ends at mu ± 1.96 s with mean score mu of N games and
    s^2 = (W (1 - mu)^2 + D (1/2 - mu)^2 + L mu^2) / N / N. It takes the two games of a pair for
    independent, which they are not.

    Raises:
        InvalidConfig: There are no games, or a count is not a whole number from 0.
    """
    games = wins + draws + losses if all(map(is_count, (wins, draws, losses))) else 0
    if games == 0:
        message = (
            f"{shown(wins)} wins, {shown(draws)} draws, {shown(losses)} losses: give the numbers "
            "of games, whole and not negative; at least one game is needed"
        )
        raise InvalidConfig(message)
    mean = (wins + draws / 2) / games
    variance = (wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean**2) / games
    return elo_interval(mean, math.sqrt(variance / games), games)


def elo_interval(mean: float, error: float, count: int, freedom: int | None = None) -> Interval:
    """Elo of a mean score with its 95 % interval by :func:`score_ends`.

    Args:
        mean: Mean of ``count`` independent scores in [0, 1].
        error: Its standard error, sqrt(population variance / count).
        count: How many scores they are.
        freedom: Degrees of freedom of ``error``; default ``count - 1``.
    """
    low, high = score_ends(mean, error**2 * count, count, freedom)
    return Interval(elo_of_score(mean), elo_of_score(float(low)), elo_of_score(float(high)))


def los(scores: Sequence[float]) -> float:
    """Likelihood of superiority in [0, 1], as fastchess computes it from pairs.

    (1 + erf((mean - 1/2) / sqrt(2 s^2))) / 2 with s the standard error of the mean; if all pairs
    scored alike it is 0, 1/2 or 1.

    Raises:
        InvalidConfig: See :func:`pair_score_statistics`.
    """
    mean, error = pair_score_statistics(scores)
    if error == 0:
        return 0.5 if mean == 0.5 else float(mean > 0.5)
    return (1 + math.erf((mean - 0.5) / (math.sqrt(2) * error))) / 2


_LOS_PAIRS = 10
"""Pairs from which the normal distribution of :func:`los` is near Student's."""


def los_unsaid(pairs: Sequence[int]) -> str | None:
    """Return why reports leave out the likelihood of superiority; None if they have it.

    Of fewer than ten pairs, and of pairs that all scored alike, too little is known of the spread
    that :func:`los` divides by. Of a few more its normal distribution can still be surer than the
    interval beside it, which holds zero.
    """
    if sum(pairs) < _LOS_PAIRS:
        return f"fewer than {_LOS_PAIRS} pairs"
    if sum(map(bool, pairs)) == 1:
        return "all pairs scored alike"
    scores = np.repeat(np.arange(len(pairs)) / (len(pairs) - 1), pairs).tolist()
    elo, is_sure = pentanomial_elo(scores), not 0.025 <= los(scores) <= 0.975
    return "the interval holds 0" if is_sure and elo.low <= 0 <= elo.high else None
