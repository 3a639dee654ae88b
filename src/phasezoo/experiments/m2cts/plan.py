"""Which networks a run trains: their names, positions, shares and seeds."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from phasezoo.experiments.m2cts.evaluation import TrainedNetworks
from phasezoo.experiments.m2cts.preparation import Prepared

__all__ = ["PlannedNetwork", "name_of", "plan", "shared", "trained"]


@dataclass(frozen=True)
class PlannedNetwork:
    """A network to be trained."""

    name: str
    """Its directory under ``networks/``."""
    role: str
    """``baseline``, ``expert`` or ``placebo``."""
    training: int
    """Index of the training, from 0."""
    gate: str
    """The gate that names the phase."""
    phase: str | None
    """What it is trained on; None for all positions."""
    positions: int
    """Training positions it sees."""
    seed: int
    """Seed of the order of its positions."""
    initial_seed: int
    """Seed of its initial weights, the same for all networks of one training."""


def plan(prepared: Prepared) -> list[PlannedNetwork]:
    """Plan all trainings, in the order in which they are done.

    Experts share the baseline's number of positions in proportion to the positions of their phases,
    so that all networks go through what they may see equally often (separated learning).
    """
    table, config = prepared.tables["train"], prepared.config
    placebo = prepared.splits.train.positions(prepared.placebo, threads=config.threads)
    budget = config.positions
    if config.epochs is not None:
        budget = max(1, round(config.epochs * len(table)))
    groups = (
        ("baseline", "none", (None,), np.array([len(table)])),
        ("expert", prepared.gate, table.names, table.positions_per_phase()),
        ("placebo", prepared.placebo, placebo.names, placebo.positions_per_phase()),
    )
    planned = []
    for training in range(config.trainings):
        for role, gate, phases, available in groups:
            for phase, share in zip(phases, shared(budget, available), strict=True):
                name = name_of(role, phase, training, phases)
                planned.append(
                    PlannedNetwork(
                        name=name,
                        role=role,
                        training=training,
                        gate=gate,
                        phase=phase,
                        positions=share,
                        seed=prepared.seed("order", name),
                        initial_seed=prepared.seed("initial weights", training),
                    )
                )
    return planned


def trained(planned: list[PlannedNetwork], networks: Path) -> list[TrainedNetworks]:
    """Say where the networks of each training lie, once they are trained."""
    return [
        TrainedNetworks(
            baseline=networks / _of(planned, training, "baseline")[0].name,
            experts=[networks / n.name for n in _of(planned, training, "expert")],
            placebo=[networks / n.name for n in _of(planned, training, "placebo")],
        )
        for training in sorted({n.training for n in planned})
    ]


def shared(budget: int, available: np.ndarray) -> list[int]:
    """Divide a number of positions in proportion; the parts add up to it (largest remainders)."""
    exact = budget * available / available.sum()
    parts = np.floor(exact).astype(int)
    most_left = np.argsort(parts - exact, kind="stable")[: budget - int(parts.sum())]
    parts[most_left] += 1
    return [int(part) for part in parts]


def _of(planned: list[PlannedNetwork], training: int, role: str) -> list[PlannedNetwork]:
    return [n for n in planned if n.training == training and n.role == role]


def name_of(role: str, phase: str | None, training: int, phases: tuple[str | None, ...]) -> str:
    """The directory of a network: its role, its phase, and the number of its training."""
    number = training + 1
    if phase is None:
        return f"{role}-{number}"
    slugs = [re.sub(r"[^a-z0-9]+", "-", (p or "").lower()).strip("-") for p in phases]
    slug = slugs[phases.index(phase)]
    if not slug or slugs.count(slug) > 1 or len(slug) > 40:
        slug = f"phase-{phases.index(phase) + 1}"  # names in other scripts, or alike without signs
    return f"{role}-{slug}-{number}"
