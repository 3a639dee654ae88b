"""How a run of this study is called on the command line."""

from pathlib import Path

from phasezoo.experiments import command
from phasezoo.experiments.pommerman.config import PRESETS, PommermanConfig

__all__ = ["PROGRAM", "spelled"]

PROGRAM = "phasezoo reproduce m2cts --game pommerman"


def spelled(config: PommermanConfig, out: Path) -> str:
    """The command line for these settings: the preset, and what differs from it."""
    return command.spelled(PROGRAM, config, PRESETS[config.preset], out)
