"""Trains the gate of one training's experts, on games that these did not learn from."""

from collections.abc import Mapping
from pathlib import Path

from phasezoo import gating
from phasezoo.experiments.m2cts.duel.learned.parts import parts_of
from phasezoo.experiments.m2cts.duel.learned.results import GateCard
from phasezoo.experiments.m2cts.duel.loading import load
from phasezoo.experiments.m2cts.duel.preparation import Prepared
from phasezoo.gating.learned import LEARNED
from phasezoo.training.splits import Splits

__all__ = ["spec_of", "train"]


def train(
    prepared: Prepared, experts: Mapping[str, Path], training: int, directory: Path
) -> GateCard:
    """Train a gate to choose among frozen experts (:func:`phasezoo.gating.train`).

    Args:
        prepared: The run's games and settings.
        experts: Directory of each phase's expert.
        training: Index of the training, from 0.
        directory: Where the gate is kept.
    """
    config, splits = prepared.config, prepared.splits
    learn, choose = parts_of(splits, prepared.seed("games of gates"))
    found = gating.train(
        splits.validation,
        out=directory,
        experts={phase: load(config, path) for phase, path in experts.items()},
        planes=config.planes,
        positions=config.gate_positions,
        seed=prepared.seed("gate", training),
        splits=Splits(learn, choose, splits.test),
    )
    return GateCard(directory.name, training, found.positions, found.seconds)


def spec_of(directory: Path) -> str:
    """The specification of the gate in a directory."""
    return f"{LEARNED}{directory}"
