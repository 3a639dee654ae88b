"""Networks whose values are recalibrated, to play with."""

from dataclasses import replace
from typing import Any

import numpy as np

from phasezoo.experiments.m2cts.duel.seam.recalibration import Recalibration
from phasezoo.experiments.m2cts.duel.seam.results import Map
from phasezoo.inference.evaluator import Evaluation, name_of
from phasezoo.types import Planes

__all__ = ["RecalibratedEvaluator"]


class RecalibratedEvaluator:
    """Another evaluator with its values mapped.

    Chances of win, draw and loss are left out: the map says nothing of them.

    Args:
        evaluator: What is asked.
        change: The map of its values.
    """

    def __init__(self, evaluator: Any, change: Map) -> None:
        self.plane_spec = evaluator.plane_spec
        self.packed = getattr(evaluator, "packed", False)
        self.policy_size = getattr(evaluator, "policy_size", None)
        self.name = name_of(evaluator)
        self._evaluator = evaluator
        self._map = Recalibration(change.slope, change.shift, change.positions)

    def evaluate(self, planes: Planes) -> Evaluation:
        """The evaluator's answer, recalibrated."""
        answer: Evaluation = self._evaluator.evaluate(planes)
        values = self._map(answer.values()).astype(np.float32)
        return replace(answer, value=values, wdl=None)
