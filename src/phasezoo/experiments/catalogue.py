"""The published studies that can be done again, a line each."""

from typing import Any

from phasezoo.experiments.atomic.domain import ATOMIC
from phasezoo.experiments.beam.domain import BEAM
from phasezoo.experiments.krk.domain import KRK
from phasezoo.experiments.m2cts.domains import DOMAINS
from phasezoo.experiments.representation.domain import REPRESENTATION
from phasezoo.experiments.study import Study

__all__ = ["STUDIES"]

STUDIES: dict[str, dict[str, Study[Any]]] = {
    "m2cts": DOMAINS,
    "representation": {"chess": REPRESENTATION},
    "krk": {"krk": KRK},
    "atomic": {"atomic": ATOMIC},
    "beam": {"chess": BEAM},
}
"""By name, then by game; the first game is the default."""
