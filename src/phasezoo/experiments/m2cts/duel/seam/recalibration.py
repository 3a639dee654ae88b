"""A monotone map that brings a network's values into line with results.

Definitions: ``docs/definitions/seam.md#recalibrated-values``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Recalibration", "fitted"]

MARGIN = 1e-3
"""Values are taken as if they were this far from -1 and 1 at least, where log-odds are infinite."""

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recalibration:
    """An affine map of a value's log-odds (Platt 1999)."""

    slope: float
    """Factor of the log-odds, 0 or more: below 1 the network was too sure of itself."""
    shift: float
    """Added to them: above 0 it thought too little of who is to move."""
    positions: int
    """Positions it was fitted to."""

    def __call__(self, values: npt.NDArray[Any]) -> Array:
        """Recalibrated values, in [-1, 1] as those given."""
        mapped: Array = np.tanh((self.slope * _log_odds(values) + self.shift) / 2)
        return mapped


def fitted(values: npt.NDArray[Any], results: npt.NDArray[Any]) -> Recalibration:
    """The map under which results are likeliest.

    Args:
        values: ``[P]`` in [-1, 1] for to_play.
        results: ``[P]``: 1, 0 or -1 for to_play.

    Returns:
        The map; of no positions the one that changes nothing.
    """
    from scipy.optimize import minimize

    odds, score = _log_odds(values), (1 + results.astype(np.float64)) / 2
    unchanged = np.array([1.0, 0.0])

    def loss(chosen: Array) -> tuple[float, Array]:
        logits = chosen[0] * odds + chosen[1]
        cross_entropy = np.logaddexp(0, logits) - score * logits
        wrong = np.exp(-np.logaddexp(0, -logits)) - score
        away = chosen - unchanged
        gradient = np.array([(wrong * odds).sum(), wrong.sum()]) + away
        return float(cross_entropy.sum() + away @ away / 2), gradient

    bounds = [(0.0, None), (None, None)]
    found = minimize(loss, unchanged, jac=True, method="L-BFGS-B", bounds=bounds)
    return Recalibration(float(found.x[0]), float(found.x[1]), len(odds))


def _log_odds(values: npt.NDArray[Any]) -> Array:
    inside = np.clip(values.astype(np.float64), -1 + MARGIN, 1 - MARGIN)
    odds: Array = 2 * np.arctanh(inside)
    return odds
