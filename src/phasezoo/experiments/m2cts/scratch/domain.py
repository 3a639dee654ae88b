"""The comparison from random weights: what the command line knows of it."""

from phasezoo.experiments.m2cts.scratch.config import PRESETS, ScratchConfig
from phasezoo.experiments.study import Study

__all__ = ["SCRATCH"]

SCRATCH: Study[ScratchConfig] = Study(
    name="m2cts-from-scratch",
    program="phasezoo reproduce m2cts --from-scratch",
    presets=PRESETS,
    stages="phasezoo.experiments.m2cts.scratch.run:ScratchRun",
    packages={
        "torch": "train",
        "safetensors": "train",
        "pyarrow": "data",
        "matplotlib": "plot",
        "jinja2": "plot",
    },
    any_game=True,
)
