"""The thesis on atomic chess: what the command line knows of it."""

from phasezoo.experiments.atomic.config import PRESETS, AtomicConfig
from phasezoo.experiments.study import Study

__all__ = ["ATOMIC"]

ATOMIC: Study[AtomicConfig] = Study(
    name="atomic",
    program="phasezoo reproduce atomic",
    presets=PRESETS,
    stages="phasezoo.experiments.atomic.run:AtomicRun",
    packages={"matplotlib": "plot", "jinja2": "plot", "torch": "train", "pyarrow": "data"},
)
