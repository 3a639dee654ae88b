"""Loads the networks of a run as its settings say."""

from pathlib import Path
from typing import Any

from phasezoo import inference
from phasezoo.experiments.m2cts.duel.config import M2ctsConfig

__all__ = ["load"]


def load(config: M2ctsConfig, path: Path) -> Any:
    """The network in a directory, with the backend, device and threads of the settings."""
    return inference.load(
        path, backend=config.backend, device=config.device, threads=config.threads
    )
