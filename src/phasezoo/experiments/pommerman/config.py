"""The knobs of the study, and its sizes as values of them."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from annotated_types import Ge, Interval

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.pommerman import published
from phasezoo.experiments.settings import TrainedSettings, check_rising, presets_of
from phasezoo.experiments.study import Study
from phasezoo.inference.backends.choice import Backend
from phasezoo.specs import PositiveFloat, PositiveInt

Preset: TypeAlias = Literal["quick", "standard", "paper"]


@dataclass(frozen=True)
class PommermanConfig(TrainedSettings):
    """Train phase experts for Pommerman, and play single-player search with them in free-for-all.

    One searching agent against three SimpleAgents, on the same boards and as each of four players
    for one network, a mixture for each gate, and a placebo. Sizes come as presets: `quick` takes
    minutes on two cores, `standard` is for a claim and takes hours, `paper` has the published
    sizes.
    """

    common: ClassVar[tuple[str, ...]] = (
        "game",
        "preset",
        "gates",
        "samples",
        "network",
        "simulations",
        "boards",
        "trainings",
        "seed",
    )

    game: Literal["pommerman"] = "pommerman"
    """The game of this study."""
    preset: Preset = "quick"
    trainings: PositiveInt = 1
    """K: trainings of everything that is compared (claims need several)."""

    gates: tuple[str, ...] = ("steps:40", "mixedness:6,3", "opponents")
    """Gates; a mixture is trained for each."""
    placebo: str = "hash:3"
    """The gate of experts without a specialty."""

    samples: Annotated[int, Ge(10_000)] = 100_000
    """Positions of games between four SimpleUnbiasedAgents (paper: 1 M)."""
    epochs: PositiveFloat = 1.0
    """Passes over the training positions (paper: 5)."""
    network: str = published.TINY
    """Architecture of every network (paper: risex4-1x2)."""
    training_batch: Annotated[int, Interval(ge=1, le=65_536)] = 128
    """Training positions an update (published code: 128)."""
    learning_rate: PositiveFloat = 0.01
    """AdamW's learning rate, constant (published code: 0.001)."""
    validation_positions: PositiveInt = 4096
    """Validation positions looked at ten times a training, or every 500 updates."""

    boards: Annotated[int, Ge(2)] = 4
    """Boards a training, each played as each of four players by every agent."""
    simulations: PositiveInt = published.SIMULATIONS
    """Simulations a move (published default: 100)."""
    search_batch: PositiveInt = 8
    """Leaves that a tree may have outstanding (published: 8)."""
    opponents: Literal["simple", "simple_unbiased"] = "simple"
    """Who the other three players are: the original's agent, or the one the games are of."""
    others: Literal["simple_unbiased", "simple", "random", "stop"] = "simple_unbiased"
    """Who moves the others inside the search."""
    information: Literal["observed", "full"] = "observed"
    """Information of the search: what its player may know, or the true state."""
    routing: Literal["exact", "majority", "soft"] = "exact"
    """Which expert answers a position."""

    references: bool = True
    """Whether the one network also plays without search, and an untrained one with it."""
    large_network: str | None = None
    """A network to play beside the published search study; none: not trained."""
    large_samples: Annotated[int, Ge(10_000)] = 100_000
    """Positions that it is trained on (paper: 1 M)."""
    large_epochs: PositiveFloat = 1.0
    """Passes over them (paper: 5)."""
    large_learning_rate: PositiveFloat = 0.003
    """AdamW's learning rate for it, constant (published code: 0.001)."""
    large_boards: Annotated[int, Ge(2)] = 25
    """Boards that it plays, each as all four players."""
    large_simulations: tuple[PositiveInt, ...] = (100,)
    """Simulations a move that it plays with (rising; published: up to 1000)."""

    concurrency: PositiveInt = 256
    """Games played at the same time."""
    backend: Backend = "auto"
    """Backend of the networks in games; auto: ONNX Runtime on a CPU, torch on a GPU."""

    def validate(self) -> None:
        """Check every range."""
        super().validate()
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


PRESETS: dict[Preset, PommermanConfig] = presets_of(
    PommermanConfig(),
    standard={
        "trainings": 3,
        "samples": 250_000,
        "epochs": float(published.EPOCHS),
        "boards": 84,
        "large_network": "risex4-64x4",
    },
    paper={
        "trainings": 5,
        "samples": published.SAMPLES,
        "learning_rate": published.LEARNING_RATE,
        "boards": 250,
        "large_samples": published.SAMPLES,
        "large_epochs": float(published.EPOCHS),
        "large_learning_rate": published.LEARNING_RATE,
        "large_boards": 250,
        "large_simulations": tuple(s for s in published.SEARCH_STUDY if s),
    },
)
"""The sizes, smallest first."""

POMMERMAN: Study[PommermanConfig] = Study(
    name="m2cts-pommerman",
    program="phasezoo reproduce m2cts --game pommerman",
    presets=PRESETS,
    stages="phasezoo.experiments.pommerman.study:PommermanRun",
    packages={"torch": "train", "matplotlib": "plot"},
)
"""The study in free-for-all."""
