"""Estimates with their 95 % intervals (``docs/definitions/statistics.md``)."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

Z95 = 1.96
"""Standard errors to either side of a 95 % interval."""

MIN_PAIRS = 4
"""With fewer independent scores nothing is said of the ends of an interval: they are infinite."""

PRIOR_PAIRS = 1.5
"""Imagined scores of 1, and as many of 0, in an interval of a mean score."""

_MOST_OFF = 0.1
"""How far ± may put the ends of an interval off, by half its width."""


@dataclass(frozen=True)
class Interval:
    """A figure between the ends of its 95 % interval; ends may be infinite, never NaN."""

    value: float
    """The estimate."""
    low: float
    """Lower end."""
    high: float
    """Upper end."""

    @property
    def is_known(self) -> bool:
        """Whether anything is said of the ends: not if there were too few games."""
        return self.low > -math.inf or self.high < math.inf

    @property
    def half_width(self) -> float:
        """Half the distance between the ends; infinite if one of them is."""
        if math.isinf(self.low) or math.isinf(self.high):
            return math.inf
        return (self.high - self.low) / 2

    @property
    def is_even(self) -> bool:
        """Whether ``value ± half_width`` gives both ends to a tenth of the half-width."""
        if math.isinf(self.half_width):
            return False
        off = abs((self.high + self.low) / 2 - self.value)
        return off <= _MOST_OFF * self.half_width

    def __neg__(self) -> "Interval":
        """Return the same difference as the other side sees it."""
        return Interval(0.0 - self.value, 0.0 - self.high, 0.0 - self.low)

    def of_share(self, most: float = 1.0, *, least: float = 0.0) -> "Interval":
        """Return the same for a share, whose ends, if known, lie from ``least`` to ``most``."""
        if not self.is_known:
            return self
        return Interval(self.value, max(self.low, least), min(self.high, most))

    def to_dict(self) -> dict[str, float | None]:
        """For JSON of other programs, which has no infinite numbers: they are None."""
        return {"value": finite(self.value), "low": finite(self.low), "high": finite(self.high)}

    def __str__(self) -> str:
        """``+17.4 ± 38.2``; where ± would mislead, both ends take its place.

        It would if one end is infinite or :attr:`is_even` is false. If both ends are infinite,
        there were too few games for an interval, and that is what it says.
        """
        if not self.is_known:
            return f"{signed(self.value)} (too few games for an interval)"
        if not self.is_even:
            return f"{signed(self.value)} [{signed(self.low)}, {signed(self.high)}]"
        return f"{signed(self.value)} ± {self.half_width:.1f}"


def finite(number: float) -> float | None:
    """Return the number for formats that have no infinite ones: those are None, as is NaN."""
    return number if math.isfinite(number) else None


def signed(number: float, digits: int = 1) -> str:
    """Return a difference with its sign; 0 has none.

    Args:
        number: The difference; it may be infinite.
        digits: Digits behind the point.
    """
    if math.isinf(number):
        return "+∞" if number > 0 else "-∞"
    return f"{number:+.{digits}f}" if round(number, digits) else f"{0:.{digits}f}"


def t95(freedom: npt.ArrayLike) -> Array:
    """Standard errors to either side of a 95 % interval by Student's t.

    Args:
        freedom: Degrees of freedom above 0, not necessarily whole; with infinitely many it is the
            normal distribution's.
    """
    from scipy.special import stdtrit

    # Beyond 1e9, t and the normal agree in all digits that a float has left.
    return np.asarray(stdtrit(np.minimum(freedom, 1e9), 0.975))


def score_error(mean: Array | float, variance: Array | float, count: Array | int) -> Array:
    """Return the standard error of a mean score that knows of scores not seen yet.

    It is that of the scores with :data:`PRIOR_PAIRS` more of 1 and as many of 0, so it is never 0.

    Args:
        mean: Mean of ``count`` scores in [0, 1].
        variance: Their population variance.
        count: How many they are.
    """
    centre = _centre(mean, count)
    # Squares around a mean add up as squares around another, and the distance of both.
    squares = count * (variance + (mean - centre) ** 2)
    squares = squares + PRIOR_PAIRS * (centre**2 + (1 - centre) ** 2)
    return np.asarray(np.sqrt(squares) / (count + 2 * PRIOR_PAIRS))


def score_ends(
    mean: Array | float,
    variance: Array | float,
    count: Array | int,
    freedom: Array | int | None = None,
) -> tuple[Array, Array]:
    """Return both ends of the 95 % interval of a mean score, in [0, 1], or of many means.

    The centre c is the mean with :data:`PRIOR_PAIRS` more scores of 1 and as many of 0, as Agresti
    and Coull (1998) have it for shares; e is :func:`score_error`. The ends are c ± t e, with t
    Student's, clipped to [0, 1] and with the mean between them. With fewer than :data:`MIN_PAIRS`
    scores they are 0 and 1.

    Args:
        mean: Mean of ``count`` independent scores in [0, 1].
        variance: Their population variance.
        count: How many they are.
        freedom: Degrees of freedom of ``variance``; default ``count - 1``.
    """
    freedom = np.maximum(np.subtract(count, 1) if freedom is None else freedom, 1)
    centre, half = _centre(mean, count), t95(freedom) * score_error(mean, variance, count)
    is_few = np.less(count, MIN_PAIRS)
    low = np.where(is_few, 0.0, np.maximum(np.minimum(centre - half, mean), 0.0))
    high = np.where(is_few, 1.0, np.minimum(np.maximum(centre + half, mean), 1.0))
    return low, high


def _centre(mean: Array | float, count: Array | int) -> Array:
    return np.asarray((mean * count + PRIOR_PAIRS) / (count + 2 * PRIOR_PAIRS))
