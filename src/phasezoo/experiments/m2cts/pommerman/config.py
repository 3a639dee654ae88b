"""The knobs of the study, and its sizes as values of them."""

import dataclasses
from dataclasses import dataclass
from typing import Literal, TypeAlias

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.m2cts.pommerman import paper
from phasezoo.experiments.settings import (
    check_least,
    check_positive,
    check_rising,
    check_training_batch,
)
from phasezoo.inference.backends import Backend

__all__ = ["PRESETS", "PommermanConfig", "Preset"]

Preset: TypeAlias = Literal["quick", "standard", "paper"]


@dataclass(frozen=True)
class PommermanConfig:
    """Train phase experts for Pommerman, and play single-player search with them in free-for-all.

    One searching agent against three SimpleAgents, on the same boards and in all four seats for one
    network, a mixture for each gate, and a placebo. Sizes come as presets: `quick` takes minutes on
    two cores, `standard` is for a claim and takes hours, `paper` has the published sizes.
    """

    game: Literal["pommerman"] = "pommerman"
    """The game of this study."""
    preset: Preset = "quick"
    """Where all other settings start from; each can still be given."""
    seed: int = 1
    """Everything random derives from it (0 or more)."""
    trainings: int = 1
    """K: trainings of everything that is compared (1 or more; claims need several)."""

    gates: tuple[str, ...] = ("steps:40", "mixedness:6,3", "opponents")
    """What the phases are; a mixture is trained for each."""
    placebo: str = "hash:3"
    """The gate of experts without a specialty."""

    samples: int = 100_000
    """Positions of games between four SimpleUnbiasedAgents (10,000 or more; paper: 1 M)."""
    epochs: float = 1.0
    """Passes over the training positions (above 0; paper: 5)."""
    network: str = paper.TINY
    """Architecture of every network (paper: risex4-1x2)."""
    training_batch: int = 128
    """Training positions an update (1 to 65,536; published code: 128)."""
    learning_rate: float = 0.01
    """AdamW's learning rate, constant (above 0; published code: 0.001)."""
    validation_positions: int = 4096
    """Validation positions looked at ten times a training, or every 500 updates (1 or more)."""

    boards: int = 4
    """Boards a training, each played in all four seats by every agent (2 or more)."""
    simulations: int = paper.SIMULATIONS
    """Simulations a move (1 or more; published default: 100)."""
    search_batch: int = 8
    """Leaves that a tree may have outstanding (1 or more; published: 8)."""
    opponents: Literal["simple", "simple_unbiased"] = "simple"
    """Who sits in the other three seats: the original's agent, or the one the games are of."""
    others: Literal["simple_unbiased", "simple", "random", "stop"] = "simple_unbiased"
    """Who moves the others inside the search."""
    information: Literal["observed", "full"] = "observed"
    """What the search knows: what its player may know, or the true state."""
    routing: Literal["exact", "majority", "soft"] = "exact"
    """Which expert answers a position."""

    references: bool = True
    """Whether the one network also plays without search, and an untrained one with it."""
    large_network: str | None = None
    """A network to play beside the published search study; none: not trained."""
    large_samples: int = 100_000
    """Positions that it is trained on (10,000 or more; paper: 1 M)."""
    large_epochs: float = 1.0
    """Passes over them (above 0; paper: 5)."""
    large_learning_rate: float = 0.003
    """AdamW's learning rate for it, constant (above 0; published code: 0.001)."""
    large_boards: int = 25
    """Boards that it plays, each in all four seats (2 or more)."""
    large_simulations: tuple[int, ...] = (100,)
    """Simulations a move that it plays with (1 or more, rising; published: up to 1000)."""

    concurrency: int = 256
    """Games played at the same time (1 or more)."""
    resamples: int = 2000
    """Draws of boards behind the intervals of differences (100 or more)."""
    backend: Backend = "auto"
    """What runs the networks in games; auto: ONNX Runtime on a CPU, torch on a GPU."""
    device: str | None = None
    """Where networks are trained and run, such as cpu or cuda; none: a GPU if there is one."""
    threads: int | None = None
    """Threads for native code and networks (1 or more; none: every usable core)."""
    train_workers: int = 1
    """Networks trained at the same time, each in a process of its own with its share of the threads
    (1 or more); every process holds the games once more."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
            InvalidGate: A gate is none of Pommerman's.
        """
        least = {
            "seed": 0,
            "trainings": 1,
            "samples": 10_000,
            "training_batch": 1,
            "validation_positions": 1,
            "boards": 2,
            "simulations": 1,
            "search_batch": 1,
            "large_samples": 10_000,
            "large_boards": 2,
            "concurrency": 1,
            "resamples": 100,
            "threads": 1,
            "train_workers": 1,
        }
        check_least(self, least)
        rates = ("epochs", "learning_rate", "large_epochs", "large_learning_rate")
        check_positive(self, rates)
        check_training_batch(self)
        check_rising("large_simulations", self.large_simulations)
        self._check_gates()

    def _check_gates(self) -> None:
        from phasezoo import gating

        specs = [gating.make(gate, "pommerman-ffa").spec for gate in (*self.gates, self.placebo)]
        if not self.gates or len(set(specs)) < len(specs):
            message = (
                f"--gates {' '.join(self.gates)} --placebo {self.placebo}: must name at least one "
                "gate, and each once"
            )
            raise InvalidConfig(message)


_QUICK = PommermanConfig()

_STANDARD = dataclasses.replace(
    _QUICK,
    preset="standard",
    trainings=3,
    samples=250_000,
    epochs=float(paper.EPOCHS),
    boards=84,
    large_network="risex4-64x4",
)

_PAPER = dataclasses.replace(
    _STANDARD,
    preset="paper",
    trainings=5,
    samples=paper.SAMPLES,
    boards=250,
    large_samples=paper.SAMPLES,
    large_epochs=float(paper.EPOCHS),
    large_boards=250,
    large_simulations=tuple(s for s in paper.SEARCH_STUDY if s),
)

PRESETS: dict[Preset, PommermanConfig] = {
    "quick": _QUICK,
    "standard": _STANDARD,
    "paper": _PAPER,
}
"""The sizes, smallest first."""
