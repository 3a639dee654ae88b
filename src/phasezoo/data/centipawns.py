"""Values of searches as centipawns, and back: cp = -100 ln(1 - |v|) / ln 1.4.

It is the scale of the published match conditions (Helfenstein et al., M2CTS, Fig. 19): a match
runner that has games of the UCI engine resigned at 600 and drawn within 20 centipawns does what the
arena does at values of 0.867 and 0.065. It has an inverse, so that scores come back as values.
"""

import math

import numpy as np
import numpy.typing as npt

BASE = 1.4

MOST_CENTIPAWNS = 9999
"""Score to write for a value of 1 or -1, which has no centipawns."""


def value_of_centipawns(centipawns: float) -> float:
    """Return the value in [-1, 1] of a score for the same player."""
    return math.copysign(-math.expm1(-abs(centipawns) / 100 * math.log(BASE)), centipawns)


def values_of_centipawns(centipawns: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Return the same of many scores; nan stays nan, and an announced mate is infinite."""
    size = -np.expm1(-np.abs(centipawns) / 100 * math.log(BASE))
    return np.asarray(np.copysign(size, centipawns))


def centipawns_of_value(value: float) -> int:
    """Return the score of a value, for the same player; never beyond :data:`MOST_CENTIPAWNS`."""
    if abs(value) >= 1:
        return int(math.copysign(MOST_CENTIPAWNS, value))
    centipawns = -100 * math.log1p(-abs(value)) / math.log(BASE)
    return round(math.copysign(min(centipawns, MOST_CENTIPAWNS), value))
