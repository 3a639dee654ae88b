"""The command that starts a run again, from its settings."""

import dataclasses
import shlex
from pathlib import Path
from typing import Any

__all__ = ["resuming", "spelled"]


def spelled(program: str, config: Any, preset: Any, out: Path) -> str:
    """The command line for these settings: the preset, and what differs from it.

    Args:
        program: The command, such as ``phasezoo reproduce m2cts``.
        config: The settings, a dataclass with a ``preset`` and a ``seed``.
        preset: The preset's own settings.
        out: Directory of the run.
    """
    words = [*program.split(), "--preset", config.preset, "--out", str(out)]
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if field.name != "preset" and value != getattr(preset, field.name):
            values = value if isinstance(value, tuple) else (value,)
            words += ["--" + field.name.replace("_", "-"), *map(str, values)]
    if "--seed" not in words:
        words += ["--seed", str(config.seed)]
    return shlex.join(words)


def resuming(program: str, out: Path) -> str:
    """The command line that continues a run."""
    return shlex.join([*program.split(), "--resume", str(out)])
