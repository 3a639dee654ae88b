"""How long a call takes, on machines that other programs use too."""

import time
from collections.abc import Callable, Sequence

import numpy as np

from phasezoo.arena.statistics.intervals import Interval

LEAST_CALLS = 2
"""Calls of a measurement, however long they take."""

RESOLUTION = 1e-9
"""Seconds of a call during which the clock stood still, so that ratios of times are finite."""


def stopwatch(call: Callable[[], object], clock: Callable[[], float]) -> Callable[[], float]:
    """Return a function that makes a call and returns its seconds."""

    def timed() -> float:
        start = clock()
        call()
        return clock() - start

    return timed


def fastest(timed: Callable[[], float], seconds: float) -> float:
    """Seconds of the fastest call of those that fit into a time, one before them not counted.

    Args:
        timed: Makes a call and returns its seconds.
        seconds: The time.
    """
    timed()
    best, end, calls = float("inf"), time.monotonic() + seconds, 0
    while calls < LEAST_CALLS or time.monotonic() < end:
        took, calls = timed(), calls + 1
        if took > 0:  # clocks of processor time may stand still for a short call
            best = min(best, took)
    return best if best < float("inf") else RESOLUTION


def in_rounds(
    calls: Sequence[Callable[[], float]], rounds: int, seconds: float
) -> list[list[float]]:
    """Return the fastest seconds of each call in every round, in which all take their turn.

    Args:
        calls: Each makes a call and returns its seconds.
        rounds: Number of rounds.
        seconds: Time of each call in a round.
    """
    found = [[fastest(call, seconds) for call in calls] for _ in range(rounds)]
    return [list(times) for times in zip(*found, strict=True)]


def between_rounds(found: Sequence[float]) -> Interval:
    """Return the median between the lowest and the highest: of n rounds in 1 - 2 / 2^n of cases."""
    return Interval(float(np.median(found)), min(found), max(found))
