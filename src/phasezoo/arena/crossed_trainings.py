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

import numpy as np
import numpy.typing as npt

from phasezoo.arena.elo import elo_interval, elo_slope, interval_of_score, pair_score_statistics
from phasezoo.arena.intervals import Interval, score_error, t95
from phasezoo.errors import InvalidConfig

__all__ = ["CrossedResult", "crossed", "crossed_pairs"]


@dataclass(frozen=True)
class CrossedResult:
    """What K x L pairings of trainings say together. Deviations are in Elo at the mean score."""

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
    """Of the interval that covers trainings (Satterthwaite); None without one."""


def crossed_pairs(scores: Sequence[Sequence[Sequence[float]]]) -> CrossedResult:
    """Estimate a mean and its variances from the pairs of games of I x J pairings of trainings.

    It is :func:`crossed` with errors that know of pairs not seen yet
    (:func:`~phasezoo.arena.intervals.score_error`), so that pairings in which all pairs scored
    alike do not count as certain. The interval that counts games only is
    :func:`~phasezoo.arena.elo.pentanomial_elo`'s, with the spread within pairings.

    Args:
        scores: ``[I][J]``: the pair scores in [0, 1] of the match between the first side's training
            i and the second side's training j, as :attr:`~phasezoo.arena.Match.group_scores` has
            them.

    Raises:
        InvalidConfig: The table is empty or ragged, a pairing has no pairs, or a score is
            impossible.
    """
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
    both at least 0, and var(mean) = var a / I + var b / J + M_e / (I J), never less than the games
    alone give; its degrees of freedom are Satterthwaite's (1946).
    (Without the zero the sum is M_a + M_b - M_e, unbiased, but its intervals hold too seldom where
    trainings hardly differ but pairings do.) The ends of the interval are clipped to [0, 1] and
    converted to Elo.

    Args:
        means: ``[I][J]``: mean pair score in [0, 1] of the match between the first side's training
            i and the second side's training j.
        errors: ``[I][J]``: the standard error of each, as
            :func:`~phasezoo.arena.elo.pair_score_statistics` gives both. An error of 0 says that
            more games would change nothing: :func:`crossed_pairs` never says so.

    Raises:
        InvalidConfig: The tables are empty, ragged, differ in shape, or hold impossible numbers.
    """
    table, error = _tables(means, errors)
    rows, columns = table.shape
    mean = float(table.mean())
    games_variance = float((error**2).mean())
    games_only = interval_of_score(mean, math.sqrt(games_variance / table.size))
    if min(rows, columns) == 1:
        return _one_side_varies(table, games_variance, games_only)
    by_row, by_column = table.mean(axis=1), table.mean(axis=0)
    m_rows = columns * float(((by_row - mean) ** 2).sum()) / (rows - 1)
    m_columns = rows * float(((by_column - mean) ** 2).sum()) / (columns - 1)
    rest = table - by_row[:, None] - by_column[None, :] + mean
    m_rest = float((rest**2).sum()) / ((rows - 1) * (columns - 1))
    freedoms = (rows - 1, columns - 1, (rows - 1) * (columns - 1))
    sides = max(m_rows, m_rest), max(m_columns, m_rest), -m_rest
    variance = math.fsum(sides) / table.size
    spread = math.sqrt(max(variance, games_variance / table.size))
    freedom = _satterthwaite(sides, freedoms)
    slope = elo_slope(mean)
    return CrossedResult(
        elo=interval_of_score(mean, spread, float(t95(freedom))),
        elo_games_only=games_only,
        first_sd=_deviation((m_rows - m_rest) / columns, slope),
        second_sd=_deviation((m_columns - m_rest) / rows, slope),
        games_sd=_deviation(games_variance, slope),
        residual_sd=_deviation(m_rest, slope),
        degrees_of_freedom=freedom,
    )


def _one_side_varies(
    table: npt.NDArray[np.float64], games_variance: float, games_only: Interval
) -> CrossedResult:
    """The result if one side, or both, has a single training."""
    mean, count = float(table.mean()), table.size
    slope = elo_slope(mean)
    games_sd = _deviation(games_variance, slope)
    if count == 1:
        return CrossedResult(games_only, games_only, None, None, games_sd, None, None)
    spread = float(table.var(ddof=1))
    error = math.sqrt(max(spread, games_variance) / count)
    between = _deviation(spread - games_variance, slope)
    return CrossedResult(
        elo=interval_of_score(mean, error, float(t95(count - 1))),
        elo_games_only=games_only,
        first_sd=between if table.shape[0] > 1 else None,
        second_sd=between if table.shape[1] > 1 else None,
        games_sd=games_sd,
        residual_sd=None,
        degrees_of_freedom=count - 1,
    )


def _deviation(variance: float, slope: float) -> float:
    """A variance of scores as a deviation in Elo; estimates below zero are zero."""
    return math.sqrt(variance) * slope if variance > 0 else 0.0


def _satterthwaite(squares: Sequence[float], freedoms: Sequence[int]) -> float:
    """Degrees of freedom of a sum of mean squares, at least those of its poorest side."""
    below = math.fsum(m * m / f for m, f in zip(squares, freedoms, strict=True))
    least = float(min(freedoms))
    return least if below == 0 else max(math.fsum(squares) ** 2 / below, least)


def _tables(
    means: Sequence[Sequence[float]], errors: Sequence[Sequence[float]]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    widths = {len(row) for row in (*means, *errors)}
    if len(means) == 0 or len(means) != len(errors) or len(widths) != 1 or 0 in widths:
        message = "means and errors must be tables of the same shape, with at least one pairing"
        raise InvalidConfig(message)
    table, error = np.asarray(means, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    possible = (table >= 0) & (table <= 1) & (error >= 0) & (error <= 1)
    if not possible.all():
        message = f"means {table.tolist()} and errors {error.tolist()}: all must be in [0, 1]"
        raise InvalidConfig(message)
    return table, error
