"""How a run of this study is called on the command line."""

from pathlib import Path

from phasezoo.experiments import command
from phasezoo.experiments.krk.config import PRESETS, KrkConfig

__all__ = ["PROGRAM", "spelled"]

PROGRAM = "phasezoo reproduce krk"


def spelled(config: KrkConfig, out: Path) -> str:
    """The command line for these settings: the preset, and what differs from it."""
    return command.spelled(PROGRAM, config, PRESETS[config.preset], out)
