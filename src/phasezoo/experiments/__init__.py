"""Published studies, done again on purpose, and generalisation from one distribution to others."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phasezoo.experiments.auditing.study import audit
    from phasezoo.experiments.catalogue import open, reproduce
    from phasezoo.experiments.generalisation.config import (
        Axis,
        GeneraliseConfig,
        Measure,
        Split as Split,
    )
    from phasezoo.experiments.generalisation.measures import (
        Matrix,
        Sample as Sample,
    )
    from phasezoo.experiments.generalisation.study import generalise
    from phasezoo.training.probes.probe import Score as Score

__all__ = [
    "Axis",
    "GeneraliseConfig",
    "Matrix",
    "Measure",
    "audit",
    "generalise",
    "open",
    "reproduce",
]

_HERE = "phasezoo.experiments"

_LAZY = {
    "Axis": "generalisation.config",
    "GeneraliseConfig": "generalisation.config",
    "Matrix": "generalisation.measures",
    "Measure": "generalisation.config",
    "Sample": "generalisation.measures",
    "Score": "generalisation.measures",
    "Split": "generalisation.config",
    "audit": "auditing.study",
    "generalise": "generalisation.study",
    "open": "catalogue",
    "reproduce": "catalogue",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{_HERE}.{_LAZY[name]}"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
