"""The curve over sizes: what the command line knows of it in every game."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from phasezoo.experiments.m2cts.curve.config import CurveConfig, curve_presets
from phasezoo.experiments.m2cts.duel.config import M2ctsConfig
from phasezoo.experiments.study import Study

__all__ = ["curve_of"]


def curve_of(
    duel: Study[M2ctsConfig], sizes: Mapping[str, Mapping[str, Any]] | None = None
) -> Study[CurveConfig]:
    """The curve in a game.

    Args:
        duel: The comparison at one size.
        sizes: What the game's own presets of the curve differ in, by preset.
    """
    found: Study[Any] = dataclasses.replace(
        duel,
        name=f"{duel.name}-curve",
        program=f"{duel.program} --curve",
        presets=curve_presets(duel.presets, sizes),
        stages="phasezoo.experiments.m2cts.curve.run:CurveRun",
    )
    return found
