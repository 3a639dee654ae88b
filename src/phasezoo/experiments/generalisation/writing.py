"""How the numbers of a matrix are written."""

import math

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.generalisation.scores import Score
from phasezoo.report import numbers

__all__ = ["gap_number", "gap_span", "gap_text", "number_of", "number_text", "span_of"]

NONE = "no interval"


def number_text(number: float, score: Score) -> str:
    """One number of a score; three digits in all, at most three after the point."""
    if score.unit == "%":
        return numbers.percent(number)
    return numbers.decimal(number, max(0, min(3, 2 - _magnitude(number) + 1)))


def number_of(interval: Interval | None, score: Score) -> str:
    """The estimate."""
    return numbers.ABSENT if interval is None else number_text(interval.value, score)


def span_of(interval: Interval | None, score: Score) -> str:
    """Both ends, or that there are none."""
    if interval is None:
        return "nothing counted"
    if not interval.is_known:
        return NONE
    return f"{number_text(interval.low, score)} to {number_text(interval.high, score)}"


def gap_text(interval: Interval | None, score: Score) -> str:
    """A gap with its sign and its ends."""
    if interval is None:
        return numbers.ABSENT
    return f"{gap_number(interval, score)} ({gap_span(interval, score)})"


def gap_number(interval: Interval, score: Score) -> str:
    """A gap with its sign."""
    return _signed(interval.value, score)


def gap_span(interval: Interval, score: Score) -> str:
    """Both ends of a gap, or that there are none."""
    if not interval.is_known:
        return NONE
    return f"{_signed(interval.low, score)} to {_signed(interval.high, score)}"


def _signed(number: float, score: Score) -> str:
    text = number_text(number, score)
    return text if number <= 0 or not text.strip("0.% ") else f"+{text}"


def _magnitude(number: float) -> int:
    size = abs(number)
    return math.floor(math.log10(size)) if 1 <= size < math.inf else 0
