"""Published studies, done again on purpose, and generalisation from one distribution to others."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phasezoo.experiments.catalogue import open, reproduce
    from phasezoo.experiments.generalisation.axis import Axis, Measure, Split as Split
    from phasezoo.experiments.generalisation.config import GeneraliseConfig
    from phasezoo.experiments.generalisation.matrix import Cell as Cell, Matrix, Results as Results
    from phasezoo.experiments.generalisation.scores import Sample as Sample
    from phasezoo.experiments.generalisation.study import generalise
    from phasezoo.training.score import Score as Score

__all__ = [
    "Axis",
    "GeneraliseConfig",
    "Matrix",
    "Measure",
    "generalise",
    "open",
    "reproduce",
]

_HERE = "phasezoo.experiments"

_LAZY = {
    "Axis": "generalisation.axis",
    "Cell": "generalisation.matrix",
    "GeneraliseConfig": "generalisation.config",
    "Matrix": "generalisation.matrix",
    "Measure": "generalisation.axis",
    "Results": "generalisation.matrix",
    "Sample": "generalisation.scores",
    "Score": "generalisation.scores",
    "Split": "generalisation.axis",
    "generalise": "generalisation.study",
    "open": "catalogue",
    "reproduce": "catalogue",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{_HERE}.{_LAZY[name]}"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
