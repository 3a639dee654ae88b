"""Which networks a run trains, and where each of them lies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from phasezoo.training.experts import PlannedTraining
from phasezoo.training.strategies import PlannedStage

__all__ = ["PlannedNetwork", "budget", "folders", "number"]


@dataclass(frozen=True, kw_only=True)
class PlannedNetwork(PlannedStage):
    """A network to be trained; its name is its directory under ``networks/``."""

    role: str
    """What it is for, such as ``baseline``, ``expert`` or ``placebo``."""
    training: int
    """Index of the training, from 0."""
    seed: int
    """Seed of the order of its positions."""
    initial_seed: int
    """Seed of its initial weights, the same for all networks of one training."""


def budget(positions: int, epochs: float | None, available: int) -> int:
    """Training positions that a network sees.

    Args:
        positions: How many, if no epochs are given.
        epochs: Passes over all training positions instead.
        available: How many training positions there are.
    """
    return positions if epochs is None else max(1, round(epochs * available))


def number(
    plans: Sequence[PlannedTraining], role: str, training: int, seed: Callable[..., int]
) -> list[PlannedNetwork]:
    """Make one training's networks of what was planned.

    Args:
        plans: What to train, each after what it starts from.
        role: What the networks are for.
        training: Index of the training, from 0.
        seed: The run's seed of a named stream.
    """
    made = []
    for plan in plans:
        name = f"{plan.name}-{training + 1}"
        stage = plan if isinstance(plan, PlannedStage) else None
        start = None if stage is None or stage.start is None else f"{stage.start}-{training + 1}"
        made.append(
            PlannedNetwork(
                name=name,
                start=start,
                weights=None if stage is None else stage.weights,
                phase_input=None if stage is None else stage.phase_input,
                gate=plan.gate,
                phase=plan.phase,
                positions=plan.positions,
                role=role,
                training=training,
                seed=seed("order", name),
                initial_seed=seed("initial weights", training),
            )
        )
    return made


def folders(
    planned: Sequence[PlannedNetwork],
    networks: Path,
    training: int,
    role: str,
    gate: str | None = None,
) -> dict[str | None, Path]:
    """Where the networks of one training and role are, by the phase that each is for.

    Args:
        planned: All networks of the run.
        networks: The directory that holds theirs.
        training: Index of the training, from 0.
        role: What the networks are for.
        gate: Only those of this gate.
    """
    return {
        network.phase: networks / network.name
        for network in planned
        if (network.role, network.training) == (role, training) and gate in (None, network.gate)
    }
