"""The sequential probability ratio test of two differences in strength.

A generalised test (GSPRT): results of pairs (or games) have unknown chances, of which those are
compared that are likeliest under each of the two differences. Formulas, with their sources, are in
``docs/definitions/statistics.md``; fastchess and fishtest use the same.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from annotated_types import Interval

from phasezoo.arena.statistics.elo import is_count
from phasezoo.arena.statistics.intervals import Array
from phasezoo.arena.statistics.normalized import ELO_PER_T
from phasezoo.checking import shown
from phasezoo.errors import InvalidConfig
from phasezoo.specs import check

EloModel = Literal["normalized", "logistic"]
"""Meaning of Elo in a test: normalised by the spread of results, or that of a mean score."""

Decision = Literal["H0", "H1", "continue"]
"""The difference is ``elo0`` (or less), it is ``elo1`` (or more), or more games are needed."""

MOST_LOGISTIC = 4000.0
"""Logistic differences beyond it have scores that are 0 or 1 to the precision of a float."""

UNSEEN = 1e-3
"""Count of a result that was never seen, as fishtest and fastchess have it."""

MOST_NORMALIZED = 200.0
"""Normalised Elo that can be tested: the likeliest chances are found below one deviation of a pair,
which is 245."""

_MOST = 10**9
"""Results beyond it outweigh one that was never seen by more than a float can tell."""

ACCURACY = 1e-10
"""Of the chances of results, at which the search for the likeliest ones ends."""


@dataclass(frozen=True)
class SprtVerdict:
    """Verdict of a test on the results so far."""

    llr: float
    """Log-likelihood ratio of ``elo1`` to ``elo0``: above 0 the results speak for ``elo1``."""
    lower: float
    """At this ratio, or below it, the test decides for ``elo0``: log(beta / (1 - alpha))."""
    upper: float
    """At this ratio, or above it, the test decides for ``elo1``: log((1 - beta) / alpha)."""
    decision: Decision
    """Decision of the test."""

    def __str__(self) -> str:
        """``LLR 1.37 [-2.94, 2.94], continue``."""
        return f"LLR {self.llr:.2f} [{self.lower:.2f}, {self.upper:.2f}], {self.decision}"


ErrorRate: TypeAlias = Annotated[float, Interval(gt=0, lt=0.5)]


@dataclass(frozen=True)
class Sprt:
    """A test of the difference ``elo0`` against ``elo1`` (Wald 1945).

    Raises:
        InvalidConfig: ``elo0`` is not below ``elo1``, one of them is too large, or an error rate or
            the model is impossible.
    """

    elo0: float
    """Difference of the null hypothesis."""
    elo1: float
    """Difference of the alternative, above ``elo0``."""
    alpha: ErrorRate = 0.05
    """Chance of deciding for ``elo1`` if ``elo0`` is true."""
    beta: ErrorRate = 0.05
    """Chance of deciding for ``elo0`` if ``elo1`` is true."""
    model: EloModel = "normalized"
    """Meaning of Elo in ``elo0`` and ``elo1``."""

    def __post_init__(self) -> None:
        check(self)
        if self.elo0 >= self.elo1:
            message = f"elo0={self.elo0}, elo1={self.elo1}: elo0 must be below elo1"
            raise InvalidConfig(message)
        largest = max(abs(self.elo0), abs(self.elo1))
        most = MOST_NORMALIZED if self.model == "normalized" else MOST_LOGISTIC
        if largest > most:
            message = (
                f"elo0={self.elo0}, elo1={self.elo1}: {self.model} differences up to {most:g} can "
                "be tested; larger ones show in a few pairs"
            )
            raise InvalidConfig(message)

    def verdict(self, counts: Sequence[int]) -> SprtVerdict:
        """Return the test's verdict on results.

        Args:
            counts: How often each result was seen, the worst first: of five, pairs with 0, 1/2, 1,
                3/2 and 2 points; of three, games lost, drawn and won.

        Raises:
            InvalidConfig: There are not three or five counts, or one is negative.
        """
        lower = math.log(self.beta / (1 - self.alpha))
        upper = math.log((1 - self.beta) / self.alpha)
        ratio = self._ratio(_checked(counts))
        decision: Decision = "H1" if ratio >= upper else "H0" if ratio <= lower else "continue"
        return SprtVerdict(ratio, lower, upper, decision)

    def _ratio(self, counts: Array) -> float:
        if counts.sum() == 0:
            return 0.0
        counts = np.where(counts == 0, UNSEEN, counts)
        seen = counts / counts.sum()
        scores = np.linspace(0, 1, len(counts))
        nearest = _of_deviations if self.model == "normalized" else _of_mean
        # A pair's mean has a spread that is smaller by sqrt(2) than a game's.
        games = math.sqrt((len(counts) - 1) / 2)
        null, other = (nearest(elo, scores, seen, games) for elo in (self.elo0, self.elo1))
        return float(counts.sum() * (seen * np.log(other / null)).sum())


def sprt(
    *,
    elo0: float,
    elo1: float,
    wins: int | None = None,
    draws: int | None = None,
    losses: int | None = None,
    pentanomial: Sequence[int] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: EloModel = "normalized",
) -> SprtVerdict:
    """Test whether a difference is ``elo0`` or ``elo1``, from pairs or from single games.

    Pairs are the better input: a test that takes the games of a pair for independent asks for more
    of them than it needs.

    Args:
        elo0: Difference of the null hypothesis.
        elo1: Difference of the alternative, above ``elo0``.
        wins: Games won; with ``draws`` and ``losses``, in place of ``pentanomial``.
        draws: Games drawn.
        losses: Games lost.
        pentanomial: Pairs with 0, 1/2, 1, 3/2 and 2 points, as
            :attr:`Match.pentanomial <phasezoo.arena.Match.pentanomial>` has them.
        alpha: Chance of deciding for ``elo1`` if ``elo0`` is true.
        beta: Chance of deciding for ``elo0`` if ``elo1`` is true.
        model: What Elo means: ``"normalized"``, or ``"logistic"``.

    Raises:
        InvalidConfig: An argument is out of range, or not exactly one kind of results is given.
    """
    test = Sprt(elo0, elo1, alpha, beta, model)
    games = (losses, draws, wins)
    if pentanomial is None:
        given = [count for count in games if count is not None]
        if len(given) == 3:
            return test.verdict(given)
    elif games == (None, None, None):
        if not hasattr(pentanomial, "__len__") or len(pentanomial) != 5:
            message = f"pentanomial={shown(pentanomial)}: five counts are needed, of 0 to 2 points"
            raise InvalidConfig(message)
        return test.verdict(pentanomial)
    message = "give either wins, draws and losses, or pentanomial"
    raise InvalidConfig(message)


def _checked(counts: Sequence[Any]) -> Array:
    if len(counts) in (3, 5) and all(map(is_count, counts)) and sum(counts) <= _MOST:
        return np.array(counts, dtype=np.float64)
    message = (
        f"results {shown(list(counts))}: expected is how many games were lost, drawn and won, or "
        "how many pairs had 0, 1/2, 1, 3/2 and 2 points: whole numbers, none of them negative, "
        f"up to {_MOST:,} together"
    )
    raise InvalidConfig(message)


def _of_mean(elo: float, scores: Array, seen: Array, games: float) -> Array:
    """Return the likeliest chances of results whose mean score is that of ``elo``.

    They are p / (1 + theta (a - s)) with theta such that the mean is s (Van den Bergh, "A practical
    introduction to the GSPRT", prop. 1.1; Owen 1988).
    """
    del games
    expected = 1 / (1 + 10 ** (-elo / 400))
    return _reweighted(seen, scores - expected)


def _of_deviations(elo: float, scores: Array, seen: Array, games: float) -> Array:
    """Return the likeliest chances of results whose mean is t standard deviations from 1/2.

    Van den Bergh, "Normalized Elo: a practical guide": at the solution they are p / (1 + theta phi)
    with phi = a - 1/2 - t sigma (1 + ((a - mu) / sigma)^2) / 2, where mu and sigma are of the
    solution itself: they are found by repetition.
    """
    t = elo / ELO_PER_T * games
    chances = np.full(len(seen), 1 / len(seen))
    for _ in range(100):
        mean = float(chances @ scores)
        deviation = math.sqrt(chances @ (scores - mean) ** 2)
        spread = (1 + ((scores - mean) / deviation) ** 2) / 2
        before, chances = chances, _reweighted(seen, scores - 0.5 - t * deviation * spread)
        if np.abs(chances - before).max() < ACCURACY:
            break
    return chances


def _reweighted(seen: Array, constraint: Array) -> Array:
    """Return the chances nearest to ``seen`` under which ``constraint`` is 0 on average."""
    low, high = -1 / constraint.max(), -1 / constraint.min()

    def falling(theta: float) -> float:
        return float((seen * constraint / _positive(1 + theta * constraint)).sum())

    found: Array = seen / _positive(1 + _root(falling, low, high) * constraint)
    return np.asarray(found / found.sum())


def _positive(numbers: Array) -> Array:
    """Return numbers that are positive, or would be without rounding."""
    return np.asarray(np.maximum(numbers, 1e-16))


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that falls from +inf at ``low`` to -inf at ``high`` is 0."""
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return middle
