"""Pommerman, as a domain of the study: what the command line knows of it."""

from phasezoo.experiments.m2cts.pommerman.config import PRESETS, PommermanConfig
from phasezoo.experiments.study import Study

__all__ = ["POMMERMAN"]

POMMERMAN: Study[PommermanConfig] = Study(
    name="m2cts-pommerman",
    program="phasezoo reproduce m2cts --game pommerman",
    presets=PRESETS,
    stages="phasezoo.experiments.m2cts.pommerman.run:PommermanRun",
    packages={"torch": "train", "matplotlib": "plot", "jinja2": "plot"},
)
