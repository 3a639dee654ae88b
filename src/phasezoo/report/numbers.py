"""How numbers are written in reports and on the console."""

import math
from collections.abc import Sequence
from typing import Any

from phasezoo.arena.statistics.intervals import Interval

ABSENT = "–"
"""Stands where a number does not exist, such as a loss on no positions."""

_NO_INTERVAL = "(no interval: too few games or trainings, or all alike)"
"""Stands for an interval of which nothing is known."""

_MINUS = "\N{MINUS SIGN}"

_WORDS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def text(value: Any) -> str:
    """Return a value that needs no format of its own; :data:`ABSENT` for None."""
    return ABSENT if value is None else str(value)


def count(number: float) -> str:
    """Return an integer with groups of three: ``1,234``."""
    return f"{round(number):,}".replace("-", _MINUS)


def decimal(number: float | None, digits: int = 3) -> str:
    """Return a number with a fixed number of digits; :data:`ABSENT` for None and NaN."""
    if number is None or math.isnan(number):
        return ABSENT
    if math.isinf(number):
        return "∞" if number > 0 else f"{_MINUS}∞"
    text = f"{abs(number):.{digits}f}"
    is_zero = not text.strip("0.")
    return text if number >= 0 or is_zero else _MINUS + text


def whole(number: float | None) -> str:
    """Return a number without digits after the point; :data:`ABSENT` for None and NaN."""
    return decimal(number, 0)


def signed(number: float | None, digits: int = 3) -> str:
    """Return a difference, with its sign."""
    text = decimal(number, digits)
    is_zero = not text.strip(f"0.{ABSENT}")
    return text if text.startswith(_MINUS) or is_zero else f"+{text}"


def chance(probability: float) -> str:
    """Return a probability as a percentage that never pretends to be certain."""
    if probability < 0.001:
        return "below 0.1 %"
    return "above 99.9 %" if probability > 0.999 else percent(probability)


def in_words(number: int) -> str:
    """Return a count as running text has it: words up to twelve, digits beyond."""
    return _WORDS[number] if 0 <= number < len(_WORDS) else count(number)


def plural(number: int, one: str, many: str = "") -> str:
    """Return a count with its noun: ``one game``, ``three leaves``.

    Args:
        number: The count.
        one: The noun of one.
        many: The noun of several; empty for ``one`` with an s.
    """
    return f"{in_words(number)} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """Return names as running text has them: ``a, b and c``."""
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share in [0, 1] as a percentage."""
    if share is None or math.isnan(share):
        return ABSENT
    return f"{decimal(100 * share, digits)} %"


def between(low: str, high: str) -> str:
    """Return a range of two written numbers: ``3 to 5``, or ``3`` if both are written alike."""
    return low if low == high else f"{low} to {high}"


def span(interval: Interval, digits: int = 3) -> str:
    """Return both ends of an interval of differences: ``-0.120 to -0.030``."""
    return f"{signed(interval.low, digits)} to {signed(interval.high, digits)}"


def plain_interval(interval: Interval | None, digits: int = 2) -> str:
    """Return a quantity, which has no sign, with both ends of its interval in brackets."""
    if interval is None:
        return ABSENT
    if not interval.is_known:
        return f"{decimal(interval.value, digits)} {_NO_INTERVAL}"
    low, high = decimal(interval.low, digits), decimal(interval.high, digits)
    return f"{decimal(interval.value, digits)} ({low} to {high})"


def signed_interval(interval: Interval | None, digits: int = 3) -> str:
    """Return a difference with both ends of its interval in brackets."""
    if interval is None:
        return ABSENT
    if not interval.is_known:
        return f"{signed(interval.value, digits)} {_NO_INTERVAL}"
    return f"{signed(interval.value, digits)} ({span(interval, digits)})"


def elo_interval(interval: Interval | None, digits: int = 0) -> str:
    """Return an Elo difference with ± half the width, or with both ends if that would mislead.

    It would where one end is infinite, or where ± would put the ends off by more than a tenth of
    half the width, as after a match that one side won high. If both ends are infinite, it says that
    there were too few games.
    """
    if interval is None or not interval.is_even:
        return signed_interval(interval, digits)
    return f"{signed(interval.value, digits)} ± {decimal(interval.half_width, digits)}"


def duration(seconds: float) -> str:
    """Return a time in the two units that fit it: ``3 min 20 s``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"
