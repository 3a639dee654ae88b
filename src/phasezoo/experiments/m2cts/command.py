"""The command that starts a run again, from its settings."""

import dataclasses
import shlex
from pathlib import Path

from phasezoo.experiments.m2cts.config import PRESETS, M2ctsConfig

__all__ = ["resuming", "spelled"]

PROGRAM = "phasezoo reproduce m2cts"


def spelled(config: M2ctsConfig, out: Path) -> str:
    """The command line for these settings: the preset, and what differs from it."""
    preset = PRESETS[config.preset]
    words = [*PROGRAM.split(), "--preset", config.preset, "--out", str(out)]
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if field.name != "preset" and value != getattr(preset, field.name):
            words += ["--" + field.name.replace("_", "-"), str(value)]
    if "--seed" not in words:
        words += ["--seed", str(config.seed)]
    return shlex.join(words)


def resuming(out: Path) -> str:
    """The command line that continues a run."""
    return shlex.join([*PROGRAM.split(), "--resume", str(out)])
