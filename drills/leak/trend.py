"""Whether a row of memory figures rises."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

WARM = 1 / 3
"""Share of the time that belongs to warming up and is not looked at."""

BLOCKS = 12
"""Parts into which the rest is cut."""

FLAT, GROWS, UNCLEAR = "flat", "grows", "unclear"


@dataclass(frozen=True)
class Trend:
    """How the memory of a process went after warming up."""

    first: float
    """Of the first block, MiB."""
    last: float
    """Of the last block, MiB."""
    slope: float
    """MiB an hour."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of it."""

    def verdict(self, tolerance: float) -> str:
        """Flat or growing if the whole interval says so, otherwise unclear.

        Args:
            tolerance: MiB an hour that still count as flat.
        """
        if self.high <= tolerance:
            return FLAT
        return GROWS if self.low > tolerance else UNCLEAR


def trend_of(seconds: Sequence[float], mebibytes: Sequence[float]) -> Trend:
    """Return the line through the memory after warming up.

    The samples behind the first :data:`WARM` of the time are cut into :data:`BLOCKS` of equal
    length. A block counts by its median, because what is taken and given back within it is no
    growth; the line is that of least squares through the blocks, its interval by Student's t.
    A machine that pauses leaves blocks without samples; the line goes through the others.

    Args:
        seconds: When the samples were taken, ascending.
        mebibytes: What they say.

    Raises:
        ValueError: Fewer than half of the blocks have samples.
    """
    from scipy import stats

    times, memory = np.asarray(seconds, float), np.asarray(mebibytes, float)
    begin = times[0] + WARM * (times[-1] - times[0])
    bounds = np.linspace(begin, times[-1], BLOCKS + 1)
    block = np.clip(np.searchsorted(bounds, times, side="right") - 1, -1, BLOCKS - 1)
    filled = [number for number in range(BLOCKS) if number in block]
    if 2 * len(filled) < BLOCKS:
        message = f"{len(times)} samples leave {BLOCKS - len(filled)} of {BLOCKS} blocks empty"
        raise ValueError(message)
    medians = np.array([np.median(memory[block == number]) for number in filled])
    hours = ((bounds[:-1] + bounds[1:]) / 2 / 3600)[filled]
    slope, level = np.polyfit(hours, medians, 1)
    off = medians - (slope * hours + level)
    error = np.sqrt(off @ off / (len(filled) - 2) / np.sum((hours - hours.mean()) ** 2))
    half = float(stats.t.ppf(0.975, len(filled) - 2) * error)
    ends = (float(slope) - half, float(slope) + half)
    return Trend(float(medians[0]), float(medians[-1]), float(slope), *ends)
