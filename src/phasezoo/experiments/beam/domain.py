"""Beam search against MCTS: what the command line knows of it."""

from phasezoo.experiments.beam.config import PRESETS, BeamStudyConfig
from phasezoo.experiments.study import Study

__all__ = ["BEAM"]

BEAM: Study[BeamStudyConfig] = Study(
    name="beam",
    program="phasezoo reproduce beam",
    presets=PRESETS,
    stages="phasezoo.experiments.beam.run:BeamRun",
    packages={
        "torch": "train",
        "safetensors": "train",
        "pyarrow": "train",
        "matplotlib": "plot",
        "jinja2": "plot",
    },
)
