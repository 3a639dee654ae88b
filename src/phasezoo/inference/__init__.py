"""Evaluators: what answers a search's positions, alone or as a mixture of phase experts."""

from phasezoo.inference.checker import check
from phasezoo.inference.cost import CostModel
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import (
    BatchEvaluator,
    Evaluation,
    Evaluator,
    Leaves,
    evaluate_leaves,
)
from phasezoo.inference.load import load
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.states import StateBatch
from phasezoo.inference.uniform import Uniform

__all__ = [
    "BatchEvaluator",
    "CostModel",
    "Counts",
    "Evaluation",
    "Evaluator",
    "Leaves",
    "MixtureOfExperts",
    "NetworkEvaluator",
    "StateBatch",
    "Uniform",
    "check",
    "evaluate_leaves",
    "load",
]
