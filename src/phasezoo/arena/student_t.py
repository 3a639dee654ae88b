"""Quantiles of Student's t, which intervals over a handful of trainings need."""

import functools
import math

__all__ = ["t_cdf", "t_quantile"]

ACCURACY = 1e-12
"""Relative accuracy of the continued fraction and of the bisection."""


def t_cdf(t: float, freedom: float) -> float:
    """P(T <= t) for Student's t with ``freedom`` > 0 degrees of freedom (not necessarily whole).

    Abramowitz and Stegun 26.7.1: the tail beyond |t| is half the regularised incomplete beta
    function I_x(freedom / 2, 1 / 2) at x = freedom / (freedom + t^2).
    """
    tail = 0.5 * _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)
    return 1 - tail if t > 0 else tail


@functools.lru_cache(maxsize=256)
def t_quantile(probability: float, freedom: float) -> float:
    """The t with P(T <= t) = ``probability``, for probabilities in (1/2, 1).

    Infinite degrees of freedom give the normal quantile's limit.
    """
    low, high = 0.0, 1.0
    freedom = min(freedom, 1e7)  # beyond it, t and the normal agree to 1e-7
    while t_cdf(high, freedom) < probability:
        high *= 2
    while high - low > ACCURACY * high:
        middle = (low + high) / 2
        if t_cdf(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """I_x(a, b), by the continued fraction of Abramowitz and Stegun 26.5.8 on its fast side."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return math.exp(log_front) / a / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """1 + d1 / (1 + d2 / (1 + …)), evaluated from the front (Lentz, 1976)."""
    numerator, denominator, value = 1.0, 0.0, 1.0
    for step in range(1, 10_000):
        m = step // 2
        if step % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        denominator = 1 / (1 + d * denominator)
        numerator = 1 + d / numerator
        change = numerator * denominator
        value *= change
        if abs(change - 1) < ACCURACY:
            break
    return value
