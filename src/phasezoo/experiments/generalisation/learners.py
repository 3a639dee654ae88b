"""Who learns: networks and mixtures of experts from stored games."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasezoo.data.splits import Splits

__all__ = ["ExpertsLearner", "Lesson", "SupervisedLearner", "adamw"]


def adamw() -> dict[str, Any]:
    """How small networks learn from few positions."""
    return {"optimizer": "adamw", "max_lr": 3e-3, "tensorboard": False}


@dataclass(frozen=True)
class Lesson:
    """Stored games to learn from."""

    splits: Splits = field(repr=False)
    """For training and validation; the test part is not looked at."""
    gate: Any = "none"
    """Names the phases."""
    phase: str | None = None
    """The phase to learn from; None: all."""


@dataclass(frozen=True)
class SupervisedLearner:
    """A network from a :class:`Lesson`; answers with an evaluator."""

    network: str
    """Architecture."""
    positions: int
    """Training positions it sees."""
    planes: str | None = None
    """Input planes; None: the game's default."""
    device: str | None = None
    """Where it learns and runs."""
    threads: int | None = None
    """Threads."""
    options: Mapping[str, Any] = field(default_factory=adamw)
    """Fields of :class:`phasezoo.training.SupervisedConfig`."""

    def __call__(self, data: Lesson, seed: int, out: Path) -> Any:
        """Train, or go on, or load what is finished."""
        from phasezoo import inference, training

        result = training.train_supervised(
            data.splits.train,
            splits=data.splits,
            gate=data.gate,
            phase=data.phase,
            network=self.network,
            planes=self.planes,
            positions=self.positions,
            seed=seed,
            out=out,
            device=self.device,
            threads=self.threads,
            **self.options,
        )
        # Whoever is tested on another variant is asked about a game that is not its own.
        return inference.load(
            result.path,
            "torch",
            device=self.device,
            threads=self.threads,
            allow_other_game=True,
        )


@dataclass(frozen=True)
class ExpertsLearner:
    """A mixture of an expert for each phase of a gate, from a :class:`Lesson` of all phases."""

    network: str
    """Architecture of each."""
    positions: int
    """Training positions that all of them see together."""
    gate: str
    """Names the phases of the experts."""
    strategy: str = "separated"
    """How they learn."""
    planes: str | None = None
    """Input planes; None: the game's default."""
    device: str | None = None
    """Where they learn and run."""
    threads: int | None = None
    """Threads."""
    options: Mapping[str, Any] = field(default_factory=adamw)
    """Fields of :class:`phasezoo.training.SupervisedConfig`."""

    def __call__(self, data: Lesson, seed: int, out: Path) -> Any:
        """Train, or go on, or load what is finished."""
        from phasezoo import training

        experts = training.train_experts(
            data.splits.train,
            self.gate,
            self.strategy,
            splits=data.splits,
            network=self.network,
            planes=self.planes,
            positions=self.positions,
            seed=seed,
            out=out,
            **{"device": self.device, "threads": self.threads, **self.options},
        )
        return experts.mixture(
            backend="torch", device=self.device, threads=self.threads, allow_other_game=True
        )
