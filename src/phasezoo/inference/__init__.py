"""Evaluators: what answers a search's positions, alone or as a mixture of phase experts."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from phasezoo.inference.backends.choice import Backend, require
from phasezoo.inference.cache import Cached, with_cache as with_cache
from phasezoo.inference.checker import check
from phasezoo.inference.cost import CostModel
from phasezoo.inference.counts import Counts as Counts
from phasezoo.inference.evaluator import (
    Evaluation,
    Evaluator,
    Leaves as Leaves,
    Uniform,
    evaluate_leaves,
)
from phasezoo.inference.leaf_batches import StateBatch
from phasezoo.inference.making import make, names, register, spec_of
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.network import NetworkEvaluator as NetworkEvaluator
from phasezoo.inference.oracle import Known as Known, Oracle
from phasezoo.inference.policy_value import PolicyAndValue
from phasezoo.inference.storage.experts import Experts, load_experts
from phasezoo.inference.storage.load import load, load_network as load_network
from phasezoo.inference.storage.packaged import packaged_networks
from phasezoo.inference.storage.save import save

if TYPE_CHECKING:  # a type checker cannot follow __getattr__
    from phasezoo.inference.backends.onnx import OnnxEvaluator
    from phasezoo.inference.backends.openvino import OpenVinoEvaluator
    from phasezoo.inference.backends.tensorrt import TensorRtEvaluator
    from phasezoo.inference.backends.torch import TorchEvaluator

__all__ = [
    "Cached",
    "CostModel",
    "Evaluation",
    "Evaluator",
    "Experts",
    "MixtureOfExperts",
    "OnnxEvaluator",
    "OpenVinoEvaluator",
    "Oracle",
    "PolicyAndValue",
    "StateBatch",
    "TensorRtEvaluator",
    "TorchEvaluator",
    "Uniform",
    "check",
    "evaluate_leaves",
    "load",
    "load_experts",
    "make",
    "names",
    "packaged_networks",
    "register",
    "save",
    "spec_of",
]


_EVALUATORS: dict[str, Backend] = {
    "OnnxEvaluator": "onnx",
    "OpenVinoEvaluator": "openvino",
    "TensorRtEvaluator": "tensorrt",  # which asks for its library when one is made
    "TorchEvaluator": "torch",
}


def __getattr__(name: str) -> Any:
    """Load a backend when it is first used: their libraries are heavy."""
    if name in _EVALUATORS:
        require("torch" if name == "TensorRtEvaluator" else _EVALUATORS[name])
        return getattr(import_module(f"phasezoo.inference.backends.{_EVALUATORS[name]}"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
