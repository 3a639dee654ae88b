"""Learners from stored games: one network, or a mixture of experts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasezoo.experiments.generalisation.data import TrainingSet


def adamw() -> dict[str, Any]:
    """Return the settings by which small networks learn from few positions."""
    return {"optimizer": "adamw", "max_lr": 3e-3, "tensorboard": False}


@dataclass(frozen=True)
class SupervisedLearner:
    """Trains a network on a :class:`TrainingSet`; returns an evaluator."""

    network: str
    """Architecture."""
    positions: int
    """Number of training positions it sees."""
    planes: str | None = None
    """Input planes; None: the game's default."""
    device: str | None = None
    """Device of training and evaluation."""
    threads: int | None = None
    """Number of threads; None: every usable core."""
    options: Mapping[str, Any] = field(default_factory=adamw)
    """Fields of :class:`phasezoo.training.SupervisedConfig`."""

    def __call__(self, data: TrainingSet, seed: int, out: Path) -> Any:
        """Train, go on, or load a finished network."""
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
        # A network that is tested on another variant evaluates a game that is not its own.
        return inference.load(
            result.path,
            "torch",
            device=self.device,
            threads=self.threads,
            allow_other_game=True,
        )


@dataclass(frozen=True)
class ExpertsLearner:
    """Trains an expert for each phase of a gate; the :class:`TrainingSet` has all phases."""

    network: str
    """Architecture of each expert."""
    positions: int
    """Number of training positions that all of them see together."""
    gate: str
    """Gate of the phases of the experts."""
    strategy: str = "separated"
    """Strategy of their training."""
    planes: str | None = None
    """Input planes; None: the game's default."""
    device: str | None = None
    """Device of training and evaluation."""
    threads: int | None = None
    """Number of threads; None: every usable core."""
    options: Mapping[str, Any] = field(default_factory=adamw)
    """Fields of :class:`phasezoo.training.SupervisedConfig`."""

    def __call__(self, data: TrainingSet, seed: int, out: Path) -> Any:
        """Train, go on, or load a finished network."""
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
