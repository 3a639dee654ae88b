"""The sweep over king and rook against king: what the command line knows of it."""

from phasezoo.experiments.krk.config import PRESETS, KrkConfig
from phasezoo.experiments.study import Study

__all__ = ["KRK"]

KRK: Study[KrkConfig] = Study(
    name="krk",
    program="phasezoo reproduce krk",
    presets=PRESETS,
    stages="phasezoo.experiments.krk.run:KrkRun",
    packages={"matplotlib": "plot", "jinja2": "plot"},
)
