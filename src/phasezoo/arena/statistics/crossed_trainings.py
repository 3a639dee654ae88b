"""Several trainings, several matches: how much of the spread comes from training.

K baselines each play K mixtures. Pairings share networks, so their results are not independent: a
lucky baseline lowers a whole column. The two-way random-effects model says

    score[i, j] = mu + a[i] + b[j] + e[i, j]

with a for the mixtures' trainings, b for the baselines' and e for what is left: the games and how
two networks happen to fit each other. Its mean squares give the variances, and the interval of mu
counts trainings first and games second.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.elo import (
    elo_interval,
    elo_of_score,
    elo_slope,
    interval_of_score,
    pair_score_statistics,
)
from phasezoo.arena.statistics.intervals import Interval, score_error, t95
from phasezoo.checking import shown
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import at_least
from phasezoo.specs import NonNegativeFloat, Share
from phasezoo.specs.values import check_value

Array: TypeAlias = npt.NDArray[np.float64]

SKEW_FACTOR = 1.12
"""How much wider than under normal effects an interval over trainings is.

A training that fails loses more than a lucky one gains, and Student's t of few skewed numbers holds
their mean too seldom."""


@dataclass(frozen=True)
class CrossedResult:
    """Joint result of K x L pairings of trainings. Deviations are in Elo at the mean score."""

    elo: Interval
    """The mean over pairings. Its interval covers other trainings of each side that has several;
    with one training on both sides, only other games of these networks."""
    elo_games_only: Interval
    """The same mean with the interval that other games of these same networks would give."""
    first_sd: float | None
    """Standard deviation between trainings of the first side (mixtures); None with one."""
    second_sd: float | None
    """Standard deviation between trainings of the second side (baselines); None with one."""
    games_sd: float
    """Standard error of one pairing's Elo that its number of games causes."""
    residual_sd: float | None
    """Standard deviation of one pairing around its trainings' means, games included."""
    degrees_of_freedom: float | None
    """Trainings less one of the side with the fewer, of those that have several; None without."""


def crossed_pairs(scores: Sequence[Sequence[Sequence[float]]]) -> CrossedResult:
    """Estimate a mean and its variances from the pairs of games of I x J pairings of trainings.

    It is :func:`crossed` with errors that know of pairs not seen yet
    (:func:`~phasezoo.arena.statistics.intervals.score_error`), so that pairings in which all pairs
    scored alike do not count as certain. The interval that counts games only is
    :func:`~phasezoo.arena.statistics.elo.pentanomial_elo`'s, with the spread within pairings.

    Args:
        scores: ``[I][J]``: the pair scores in [0, 1] of the match between the first side's training
            i and the second side's training j, as :attr:`~phasezoo.arena.Match.group_scores` has
            them.

    Raises:
        InvalidConfig: The table is empty, its rows differ in length, a pairing has no pairs, or a
            score is impossible.
    """
    if not hasattr(scores, "__len__") or not all(hasattr(row, "__len__") for row in scores):
        message = f"scores={shown(scores)}: give a table of lists of pair scores, [[[0.5, 1.0]]]"
        raise InvalidConfig(message)
    found = [[pair_score_statistics(pairing) for pairing in row] for row in scores]
    counts = [[len(pairing) for pairing in row] for row in scores]
    means = [[mean for mean, _ in row] for row in found]
    errors = [
        [float(score_error(mean, error**2 * n, n)) for (mean, error), n in zip(*both, strict=True)]
        for both in zip(found, counts, strict=True)
    ]
    result = crossed(means, errors)
    pairings, pairs = sum(map(len, counts)), sum(map(sum, counts))
    mean = math.fsum(map(math.fsum, means)) / pairings
    error = math.sqrt(math.fsum(e * e for row in found for _, e in row)) / pairings
    games_only = elo_interval(mean, error, pairs, pairs - pairings)
    # New trainings bring new games: their interval is never the narrower one.
    low, high = min(result.elo.low, games_only.low), max(result.elo.high, games_only.high)
    trainings = games_only if pairings == 1 else Interval(result.elo.value, low, high)
    return replace(result, elo=trainings, elo_games_only=games_only)


def crossed(means: Sequence[Sequence[float]], errors: Sequence[Sequence[float]]) -> CrossedResult:
    """Estimate a mean and its variances from pairings of I x J trainings.

    With M_a, M_b, M_e the mean squares of rows, columns and residuals (e.g. Searle, Casella and
    McCulloch, Variance Components, 1992, §4.3): var a = (M_a - M_e) / J, var b = (M_b - M_e) / I,
    both at least 0. The interval is :func:`crossed_half_width`, never less than the games alone
    give. Its ends are clipped to [0, 1] and converted to Elo.

    Args:
        means: ``[I][J]``: mean pair score in [0, 1] of the match between the first side's training
            i and the second side's training j.
        errors: ``[I][J]``: the standard error of each, as
            :func:`~phasezoo.arena.statistics.elo.pair_score_statistics` gives both. An error of 0
            says that more games would change nothing: :func:`crossed_pairs` never says so.

    Raises:
        InvalidConfig: The tables are empty, not rectangular, differ in shape, or hold impossible
            numbers.
    """
    table, error = _tables(means, errors)
    rows, columns = table.shape
    mean = float(table.mean())
    games_variance = float((error**2).mean())
    games_only = interval_of_score(mean, math.sqrt(games_variance / table.size))
    slope = elo_slope(mean)
    games_sd = _deviation(games_variance, slope)
    if table.size == 1:
        return CrossedResult(games_only, games_only, None, None, games_sd, None, None)
    m_rows, m_columns, m_rest = (float(square) for square in mean_squares(table))
    half = float(crossed_half_width(m_rows, m_columns, m_rest, (rows, columns), games_variance))
    # With one training on a side nothing is left over: the games' errors take its place.
    alone = min(rows, columns) == 1
    rest = games_variance if alone else m_rest
    return CrossedResult(
        elo=interval_of_score(mean, half, z=1.0),
        elo_games_only=games_only,
        first_sd=_deviation((m_rows - rest) / columns, slope) if rows > 1 else None,
        second_sd=_deviation((m_columns - rest) / rows, slope) if columns > 1 else None,
        games_sd=games_sd,
        residual_sd=None if alone else _deviation(m_rest, slope),
        degrees_of_freedom=min(side - 1 for side in (rows, columns) if side > 1),
    )


def mean_squares(tables: Array) -> tuple[Array, Array, Array]:
    """Mean squares of rows, columns and residuals; those without degrees of freedom are 0.

    Args:
        tables: ``float64[..., I, J]``: scores of pairings, of many tables at once if given.
    """
    rows, columns = tables.shape[-2:]
    mean = tables.mean(axis=(-2, -1), keepdims=True)
    by_row = tables.mean(axis=-1, keepdims=True) - mean
    by_column = tables.mean(axis=-2, keepdims=True) - mean
    rest = tables - mean - by_row - by_column
    free_rows, free_columns = max(rows - 1, 1), max(columns - 1, 1)
    return (
        columns * (by_row**2).sum(axis=(-2, -1)) / free_rows,
        rows * (by_column**2).sum(axis=(-2, -1)) / free_columns,
        (rest**2).sum(axis=(-2, -1)) / (free_rows * free_columns),
    )


def crossed_half_width(
    m_rows: Array | float,
    m_columns: Array | float,
    m_rest: Array | float,
    sides: tuple[int, int],
    games_variance: float = 0.0,
) -> Array:
    """Half the 95 % interval of a mean score over I x J pairings that covers other trainings.

    It is :data:`SKEW_FACTOR` sqrt(max(t_a² M_a + t_b² M_b - t² M_e, t_e² M_e) / (I J)) with
    Student's t for I - 1, J - 1, the larger of both, and (I - 1)(J - 1) degrees of freedom; in the
    second term M_e is at least the games' variance. Each side's mean square stands with its own t
    (Banerjee 1961), so that a side of few trainings whose mean square came out small does not
    borrow the other's degrees of freedom. The residual, which both mean squares contain, is taken
    off once. ``docs/definitions/statistics.md`` shows how often this holds.

    Args:
        m_rows: Mean square of the rows.
        m_columns: Mean square of the columns.
        m_rest: Mean square of the residuals.
        sides: I and J, not both 1. With one training on a side the other's mean square is all
            there is, at least the games' variance.
        games_variance: What the games alone make a pairing's score vary.
    """
    rows, columns = sides
    if min(sides) == 1:
        spread = np.maximum(np.maximum(m_rows, m_columns), games_variance)
        found = t95(max(sides) - 1) ** 2 * spread
    else:
        found = t95(rows - 1) ** 2 * np.asarray(m_rows) + t95(columns - 1) ** 2 * m_columns
        found = found - t95(max(sides) - 1) ** 2 * m_rest
        rest = np.maximum(m_rest, games_variance)
        found = np.maximum(found, t95((rows - 1) * (columns - 1)) ** 2 * rest)
    return np.asarray(SKEW_FACTOR * np.sqrt(found / (rows * columns)))


def off_diagonal(table: Sequence[Sequence[float]] | Array) -> tuple[float, float]:
    """Return the mean of a K x K table without its diagonal, and half its 95 % interval.

    Training k of a mixture and training k of the one network often share initial weights, and some
    mixtures contain that very network: neither is k's pairing with itself like the others, nor are
    row k and column k independent. So the diagonal is left out, and the interval is the jackknife's
    that deletes training k from both sides at once (Efron and Stein 1981), with Student's t for
    K - 1 degrees of freedom and :data:`SKEW_FACTOR`. Differences between two tables are tables too.

    Args:
        table: ``float64[K, K]``: scores of pairings, or differences of scores, any finite numbers.
    """
    cells = np.asarray(table, dtype=np.float64)
    trainings = len(cells)
    if cells.shape != (trainings, trainings) or trainings < 3 or not np.isfinite(cells).all():
        message = (
            f"table of shape {list(cells.shape)}: expected K x K finite numbers with K of 3 or more"
        )
        raise InvalidConfig(message)
    others = np.where(np.eye(trainings, dtype=bool), 0.0, cells)
    total = others.sum()
    without = total - others.sum(axis=0) - others.sum(axis=1)
    without /= (trainings - 1) * (trainings - 2)
    variance = (trainings - 1) * np.square(without - without.mean()).mean()
    half = SKEW_FACTOR * float(t95(trainings - 1)) * math.sqrt(variance)
    return float(total / (trainings * (trainings - 1))), half


def planned_width(trainings: int, games: int, draws: float = 0.0, spread: float = 0.0) -> float:
    """Return about how far, in Elo, an interval without the diagonal will reach to either side.

    Between equals the score of a pairing of n games, a share d of them drawn, has the variance
    v = (1 - d) / (4 n). The trainings of both sides add s² / K to the variance of the mean, which
    the jackknife of :func:`off_diagonal` finds. Of the games' v / (K (K - 1)) it makes 2 v /
    (K (K - 2)), because the two pairings of trainings k and l leave with either. What is returned
    is the root mean square of half the width. With five trainings or more, nine runs of ten are
    between half and twice that; with fewer they vary more.

    Args:
        trainings: K: trainings of each side, 3 or more.
        games: Games of each of the K x K pairings.
        draws: Share of drawn games; 0 gives the widest interval.
        spread: Standard deviation between trainings in Elo, of both sides together:
            ``math.hypot(first_sd, second_sd)`` of a :class:`CrossedResult`. 0: games alone count.

    Returns:
        The half width; infinite if the interval has no end.

    Raises:
        InvalidConfig: A number is out of range.
    """
    own = at_least("trainings", trainings, 3)
    played = at_least("games", games, 1)
    of_game = (1 - check_value("draws", Share, draws)) / (4 * played)
    of_training = (check_value("spread", NonNegativeFloat, spread) / elo_slope(0.5)) ** 2
    variance = of_training / own + 2 * of_game / (own * (own - 2))
    return elo_of_score(0.5 + SKEW_FACTOR * float(t95(own - 1)) * math.sqrt(variance))


def _deviation(variance: float, slope: float) -> float:
    """Return a variance of scores as a deviation in Elo; estimates below zero are zero."""
    return math.sqrt(variance) * slope if variance > 0 else 0.0


def _tables(
    means: Sequence[Sequence[float]], errors: Sequence[Sequence[float]]
) -> tuple[Array, Array]:
    try:
        table, error = np.asarray(means, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # Rows of other lengths, or no numbers in them.
        table = error = np.empty(0)
    if table.ndim != 2 or table.size == 0 or table.shape != error.shape:
        message = (
            "means and errors must be tables of numbers of the same shape, with at least one "
            "pairing, such as [[0.5, 0.6]] and [[0.1, 0.1]]"
        )
        raise InvalidConfig(message)
    possible = (table >= 0) & (table <= 1) & (error >= 0) & (error <= 1)
    if not possible.all():
        message = f"means {table.tolist()} and errors {error.tolist()}: all must be in [0, 1]"
        raise InvalidConfig(message)
    return table, error
