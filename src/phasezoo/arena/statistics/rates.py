"""Shares of games with their intervals, for games of any number of players."""

import math
from collections.abc import Iterable, Sequence
from numbers import Real

from phasezoo.arena.statistics.intervals import Z95, Interval, t95
from phasezoo.errors import InvalidConfig
from phasezoo.specs import PositiveInt, check_value

_ROUNDING = 1e-9
"""Means of equal games differ by less, those of different games by more."""


def rate_of(groups: Sequence[float], group_size: int) -> Interval:
    """Return a mean share with its 95 % interval, from groups of games that are not independent.

    Wilson's interval (1927) with the number of independent games that the spread between groups is
    worth (Korn and Graubard 1998), at most the games there are, and with Student's t. If groups do
    not differ, each counts as one game. In simulated matches of 4 to 250 groups of 2 to 4 games,
    with games of a group independent or all alike, at least 93 % of the intervals held the true
    share if it was from 0.05 to 0.95. At 0.02 and 0.98, with games of a group all alike, some
    numbers of groups fall short: 91 % at 25, the least. The ends are never equal.

    Args:
        groups: The mean over each group's games, in [0, 1].
        group_size: Games in a group.

    Raises:
        InvalidConfig: There are no groups, one is outside [0, 1], or ``group_size`` is below 1.
    """
    groups = list(groups) if isinstance(groups, Iterable) else []
    numbers = all(isinstance(share, Real) for share in groups)
    if not groups or not numbers or not all(0 <= share <= 1 for share in groups):
        message = f"expected at least one share, each in [0, 1]; given are {groups[:5]}"
        raise InvalidConfig(message)
    check_value("group_size", PositiveInt, group_size)
    count = len(groups)
    mean = math.fsum(groups) / count
    if count == 1:
        return Interval(mean, 0.0, 1.0)
    error = math.fsum((share - mean) ** 2 for share in groups) / (count - 1) / count
    if max(groups) - min(groups) < _ROUNDING:
        worth = float(count)
    else:
        worth = min(mean * (1 - mean) / error, count * group_size)
    worth *= (Z95 / float(t95(count - 1))) ** 2
    z2 = Z95 * Z95 / worth
    centre = (mean + z2 / 2) / (1 + z2)
    half = Z95 * math.sqrt(mean * (1 - mean) / worth + z2 / worth / 4) / (1 + z2)
    # Rounding must not put an end on the wrong side of a share of 0 or 1.
    return Interval(mean, max(min(centre - half, mean), 0.0), min(max(centre + half, mean), 1.0))


def percent(rate: Interval) -> str:
    """``31.2 % [24.1 %, 39.4 %]``."""
    return f"{rate.value:.1%} [{rate.low:.1%}, {rate.high:.1%}]".replace("%", " %")
