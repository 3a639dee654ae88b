"""The comparison of two searches as a domain of the study: what the command line knows of it."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from phasezoo.experiments.m2cts.duel.config import PRESETS, M2ctsConfig
from phasezoo.experiments.study import Study

__all__ = ["DUEL", "duel_of"]

DUEL: Study[M2ctsConfig] = Study(
    name="m2cts",
    program="phasezoo reproduce m2cts",
    presets=PRESETS,
    stages="phasezoo.experiments.m2cts.duel.run:DuelRun",
    packages={
        "torch": "train",
        "safetensors": "train",
        "tensorboard": "train",
        "onnxruntime": "onnx",
        "onnx": "onnx",
        "matplotlib": "plot",
        "jinja2": "plot",
    },
    any_game=True,
)
"""The published game, and with a gate and a store of games any other one."""


def duel_of(game: str, sizes: Mapping[str, Mapping[str, Any]]) -> Study[M2ctsConfig]:
    """The comparison with the settings that suit another game.

    Args:
        game: Its name.
        sizes: Fields that differ from those of the published game, by preset; a preset that is
            not named does not exist.
    """
    presets = {
        name: dataclasses.replace(preset, game=game, **sizes[name])
        for name, preset in PRESETS.items()
        if name in sizes
    }
    program = f"{DUEL.program} --game {game}"
    return dataclasses.replace(
        DUEL, name=f"m2cts-{game}", program=program, presets=presets, any_game=False
    )
