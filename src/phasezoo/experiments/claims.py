"""Rules by which a claim of a publication and what we found agree, disagree, or settle nothing."""

from collections.abc import Collection, Sequence
from typing import Literal, TypeAlias

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.statistics import verdict
from phasezoo.report import numbers
from phasezoo.report.document import Judgement

BY_ELO = (
    "agrees if the whole 95 % interval of the Elo difference lies on the claim’s side of zero, "
    "disagrees if it lies on the other side"
)
"""The rule of :func:`by_sign` for a difference of ratings."""

BY_SIGN = (
    "agrees if the whole 95 % interval lies on the claim’s side of zero, disagrees if it lies on "
    "the other side"
)
"""The rule of :func:`by_sign`."""

BY_CONTENDERS = (
    "a value may be best as long as no other is lower by a 95 % interval that holds for all others "
    "together; agrees if only what the study names may be best, disagrees if it may not"
)
"""The rule of :func:`by_contenders`."""

THROUGHOUT = (
    "agrees if every value’s own 95 % interval lies on the claim’s side of zero, disagrees if a "
    "95 % interval that holds for all values together lies on the other side for one of them"
)
"""The rule of :func:`throughout`."""

BY_RANGE = (
    "agrees if every estimate lies in the range, disagrees if a 95 % interval that holds for all "
    "values together lies outside it for one of them"
)
"""The rule of :func:`by_range`."""


Side: TypeAlias = Literal["lower", "higher"]
"""Side of zero on which a difference lies."""


def by_sign(interval: Interval | None, claimed: Side) -> Judgement:
    """Judge a claim about a sign by one 95 % interval; one that holds zero settles nothing."""
    found = "unclear" if interval is None else verdict(interval)
    if found == "unclear":
        return "not settled"
    return "agrees" if found == claimed else "disagrees"


def by_no_gain(interval: Interval, most: float) -> Judgement:
    """Judge a claim that nothing is gained: it disagrees above zero, and agrees below ``most``."""
    if interval.low > 0:
        return "disagrees"
    return "agrees" if interval.high < most else "not settled"


def by_contenders(
    possible: Collection[float], claimed: Collection[float], measured: Collection[float]
) -> Judgement:
    """Judge a claim about where a curve is lowest.

    Args:
        possible: Values that may be best, by :func:`phasezoo.experiments.statistics.contenders`.
        claimed: Values of which the publication says that one is best.
        measured: All values the curve was measured at; if there is no other than the claimed
            ones, nothing is settled.
    """
    if not possible or not set(claimed) & set(measured) or set(measured) <= set(claimed):
        return "not settled"
    if set(possible) <= set(claimed):
        return "agrees"
    return "not settled" if set(possible) & set(claimed) else "disagrees"


def throughout(
    curve: Sequence[Interval | None],
    together: Sequence[Interval | None],
    claimed: Side,
) -> Judgement:
    """Judge a claim that a sign holds at every value."""
    if any(by_sign(interval, claimed) == "disagrees" for interval in together):
        return "disagrees"
    shown = [by_sign(interval, claimed) == "agrees" for interval in curve]
    return "agrees" if shown and all(shown) else "not settled"


def by_range(together: Sequence[Interval | None], low: float, high: float) -> Judgement:
    """Judge a claim that all values lie in [``low``, ``high``]."""
    measured = [i for i in together if i is not None]
    if any(i.high < low or i.low > high for i in measured):
        return "disagrees"
    inside = bool(measured) and all(low <= i.value <= high for i in measured)
    return "agrees" if inside else "not settled"


def either(is_so: bool) -> Judgement:
    """Judge a claim by a rule that settles it either way."""
    return "agrees" if is_so else "disagrees"


def judged(*, agrees: bool, disagrees: bool) -> Judgement:
    """Judge a claim by a rule of its own.

    Args:
        agrees: Whether the rule says that the claim agrees.
        disagrees: Whether it says that the claim disagrees; without either nothing is settled.
    """
    return "agrees" if agrees else "disagrees" if disagrees else "not settled"


def counted(claims: int) -> str:
    """Return a number of claims in running text, such as ``none`` or ``two``."""
    return numbers.in_words(claims) if claims else "none"
