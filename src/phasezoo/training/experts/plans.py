"""Plans of trainings: one network, and an expert for each phase."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from phasezoo.data.positions import PositionTable
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.types import PhaseInput


@dataclass(frozen=True)
class PlannedTraining:
    """A network to be trained."""

    name: str
    """A name that can be a directory's, such as ``expert-endgame``."""
    gate: str
    """The gate that names the phase, or the phases that the baseline is watched in."""
    phase: str | None
    """The phase to train on; None for all."""
    positions: int
    """Training positions to see."""
    start: str | None = None
    """The training whose best weights this one begins with; None: new weights."""
    weights: tuple[float, ...] | None = None
    """Weights of positions of each phase; None: only those of :attr:`phase` are seen."""
    weighs_policy_alone: bool = False
    """Whether the weights are for the policy's loss, and values count alike everywhere."""
    teacher: str | None = None
    """The training whose network's values this one learns too; None: it learns results alone."""
    by_game: bool = False
    """Whether a position is in a phase that is drawn for its game, not in the gate's."""
    phase_input: PhaseInput | None = None
    """How the network receives the phase of each position; None: it does not."""
    role: str = ""
    """Role in a study, such as ``baseline``, ``expert`` or ``placebo``."""
    training: int = 0
    """Index of the study's training that it belongs to."""
    seed: int = 0
    """Seed of the order of its positions."""
    initial_seed: int | None = None
    """Seed of its initial weights; None: :attr:`seed`."""

    @property
    def is_part(self) -> bool:
        """Whether nothing is trained: the expert is a part of :attr:`start`, which knows phases."""
        return self.positions == 0

    @property
    def is_general(self) -> bool:
        """Whether it is one network of all phases, which is no expert and has none as a part."""
        return self.phase is None and self.phase_input is None

    def repeated(self, role: str, training: int, seed: Callable[..., int]) -> "PlannedTraining":
        """Return it as one of several trainings, whose first weights are the same.

        Args:
            role: What the network is for.
            training: Index of the training, from 0.
            seed: The seed of a named stream.
        """
        name = f"{self.name}-{training + 1}"
        return replace(
            self,
            name=name,
            start=None if self.start is None else f"{self.start}-{training + 1}",
            teacher=None if self.teacher is None else f"{self.teacher}-{training + 1}",
            role=role,
            training=training,
            seed=seed("order", name),
            initial_seed=seed("initial weights", training),
        )


def plan_baseline(positions: int, role: str = "baseline", gate: str = "none") -> PlannedTraining:
    """The one network that experts are compared with."""
    return PlannedTraining(role, gate, None, positions)


def plan_experts(
    train: PositionTable, positions: int, role: str = "expert"
) -> list[PlannedTraining]:
    """Separated learning: one expert for each phase, from scratch, on that phase's positions.

    Together the experts see exactly ``positions`` positions, each as large a part of them as its
    phase is of the training positions: every expert goes through its positions as often as a
    baseline with ``positions`` does through all of them. With the gate ``hash:n`` this plans the
    placebo, whose parts go by position: a frequent one is always in the same part.

    Args:
        train: All training positions, labelled by the gate.
        positions: Training positions to see, over all experts.
        role: First part of the names, such as ``expert`` or ``placebo``.
    """
    shares = share_positions(positions, phase_counts(train))
    names = training_names(role, train.names)
    return [
        PlannedTraining(name, train.gate, phase, share)
        for name, phase, share in zip(names, train.names, shares, strict=True)
    ]


def phase_counts(train: PositionTable) -> npt.NDArray[np.int64]:
    """``int64[n]``: training positions of each phase."""
    counts = train.positions_per_phase()
    for name, count in zip(train.names, counts, strict=True):
        if count == 0:
            message = (
                f"phase {name!r} of the gate {train.gate!r} has no training position, so it can "
                "have no expert: use more games or another gate"
            )
            raise StoreError(message)
    return counts


def share_positions(positions: int, counts: npt.NDArray[np.int64] | Sequence[int]) -> list[int]:
    """Split ``positions`` in proportion to ``counts``: whole numbers that add up exactly.

    What rounding down leaves over goes to the largest remainders (Hamilton's method), ties to the
    first.
    """
    weights = [int(count) for count in counts]
    total = sum(weights)
    shares = [positions * weight // total for weight in weights]
    left = positions - sum(shares)
    order = sorted(range(len(weights)), key=lambda i: (-(positions * weights[i] % total), i))
    for index in order[:left]:
        shares[index] += 1
    if min(shares) < 1:
        message = (
            f"{positions} positions are too few to share among parts of {weights}; every expert "
            "must see at least one in each of its trainings: give more positions"
        )
        raise InvalidConfig(message)
    return shares


def training_names(role: str, phases: Sequence[str]) -> list[str]:
    """Return the name of each phase's training: by the phase, or its index if two are alike."""
    slugs = [_slug(phase) for phase in phases]
    return [
        f"{role}-{slug if slugs.count(slug) == 1 else index}" for index, slug in enumerate(slugs)
    ]


def _slug(phase: str) -> str:
    """A phase's name as part of a directory's."""
    return re.sub(r"[^a-z0-9]+", "-", phase.lower()).strip("-")[:40] or "phase"
