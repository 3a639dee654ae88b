"""Values of networks mapped so that they predict results better."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.inference.evaluator import Evaluation, name_of
from phasezoo.types import Planes

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
    from scipy.special import expit

    odds, score = _log_odds(values), (1 + results.astype(np.float64)) / 2
    unchanged = np.array([1.0, 0.0])

    def least(columns: Array, prior: Array) -> Array:
        """The least penalised loss: it is convex, and the penalty keeps its minimum unique."""

        def loss(chosen: Array) -> tuple[float, Array]:
            logits, away = columns @ chosen, chosen - prior
            cross_entropy = np.logaddexp(0, logits) - score * logits
            gradient = (expit(logits) - score) @ columns + away
            return float(cross_entropy.sum() + away @ away / 2), gradient

        def hessian(chosen: Array) -> Array:
            chance = expit(columns @ chosen)
            curved: Array = (columns.T * (chance * (1 - chance))) @ columns + np.eye(len(prior))
            return curved

        found = minimize(loss, prior, jac=True, hess=hessian, method="trust-exact")
        chosen: Array = found.x
        return chosen

    # Second derivatives, because L-BFGS stops far away where nearly all values are alike.
    slope, shift = least(np.stack([odds, np.ones_like(odds)], axis=1), unchanged)
    if slope < 0:  # of a convex loss the least one without negative slopes then has none
        slope, (shift,) = 0.0, least(np.ones((len(odds), 1)), unchanged[1:])
    return Recalibration(float(slope), float(shift), len(odds))


def _log_odds(values: npt.NDArray[Any]) -> Array:
    inside = np.clip(values.astype(np.float64), -1 + MARGIN, 1 - MARGIN)
    odds: Array = 2 * np.arctanh(inside)
    return odds


class RecalibratedEvaluator:
    """Another evaluator with its values mapped.

    Chances of win, draw and loss are left out: the map says nothing of them.

    Args:
        evaluator: What is asked.
        change: The map of its values.
    """

    def __init__(self, evaluator: Any, change: Recalibration) -> None:
        self.plane_spec = evaluator.plane_spec
        self.packed = getattr(evaluator, "packed", False)
        self.policy_size = getattr(evaluator, "policy_size", None)
        self.name = name_of(evaluator)
        self._evaluator = evaluator
        self._map = change

    def evaluate(self, planes: Planes) -> Evaluation:
        """The evaluator's answer, recalibrated."""
        answer: Evaluation = self._evaluator.evaluate(planes)
        values = self._map(answer.values()).astype(np.float32)
        return replace(answer, value=values, wdl=None)
