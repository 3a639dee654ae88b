"""The knobs of the comparison from random weights, and its sizes as values of them."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from annotated_types import Ge, MultipleOf

from phasezoo.errors import InvalidConfig, about
from phasezoo.experiments.from_scratch import published
from phasezoo.experiments.settings import StudySettings, option, presets_of
from phasezoo.experiments.study import Study
from phasezoo.specs import PositiveFloat, PositiveInt, unknown_option
from phasezoo.training.experts.strategies import check_learns_by_play, read_strategy
from phasezoo.training.selfplay.config import SelfPlayConfig

Preset: TypeAlias = Literal["quick", "standard", "paper"]


def learning_of(text: str) -> dict[str, Any]:
    """Return the settings of self-play that a strategy such as ``staged:value=shared`` stands for.

    Raises:
        InvalidConfig: It is no strategy of experts that learn by play, or has another option.
    """
    strategy, options = read_strategy(text)
    check_learns_by_play(strategy, text.partition(":")[0])
    for name in options.keys() - {"value"}:
        raise InvalidConfig(unknown_option(name, "strategy", ["value"]))
    # As it was written: runs of earlier versions have weighted:4.0 so.
    return {"strategy": text if not options else str(strategy), **options}


@dataclass(frozen=True)
class ScratchConfig(StudySettings):
    """Let one network, and experts for the phases, learn a game by play from random weights.

    Each strategy has its own games, played by its own experts. After some rounds the experts play
    the one network that has learned as long. `quick` takes minutes on two cores, `standard` hours;
    `paper` is the published size and needs a cluster.
    """

    common: ClassVar[tuple[str, ...]] = (
        "game",
        "preset",
        "gate",
        "network",
        "updates",
        "nodes",
        "trainings",
        "match_games",
        "seed",
    )

    from_scratch: bool = True
    """Learn by self-play; without it networks learn from stored games."""
    game: str = "chess"
    """The game (paper: chess)."""
    preset: Preset = "quick"
    gate: str = "lichess"
    """Gate that defines the phases, such as lichess, or plies:14,28 (paper: lichess)."""
    strategies: tuple[str, ...] = ("separated", "staged")
    """How experts learn, each beside one network: separated, staged, weighted:FACTOR. Those with
    value=shared, such as staged:value=shared, have the value of a network of all phases."""
    trainings: PositiveInt = 1
    """Trainings of each side (paper: 3). One says nothing of other trainings."""

    network: str = "resnet-16x2"
    """Architecture of every network (paper: RISEv3.3)."""
    planes: str | None = None
    """Input planes (none: the game's own)."""
    updates: PositiveInt = 4
    """Rounds of playing and learning (paper: 10)."""
    games: PositiveInt = 64
    """Games of a round (paper: as many as 819,200 samples take)."""
    nodes: PositiveInt = 24
    """Nodes of a search in self-play (paper: 800)."""
    samples_per_new: PositiveFloat = 4.0
    """How often a sample is learned from (paper: 6)."""
    buffer: Annotated[int, Ge(2)] = 50_000
    """Samples of the buffer."""
    training_batch: Annotated[int, Ge(2)] = 64
    """Samples of a step (paper: 512)."""
    optimizer: Literal["sgd", "adamw"] = "adamw"
    """Optimiser (paper: SGD)."""
    learning_rate: PositiveFloat = 2e-3
    """Peak of every round's cycle (paper: 0.05 of SGD)."""
    max_plies: PositiveInt = 120
    """Plies at which games are cut and counted as drawn."""

    compare_every: PositiveInt = 2
    """Rounds from one match to the next; the last round always has one."""
    match_games: Annotated[int, Ge(2), MultipleOf(2)] = 60
    """Games of every match, an even number."""
    match_nodes: PositiveInt = 24
    """Nodes of a move in matches."""
    concurrency: PositiveInt = 64
    """Games at once."""

    def validate(self) -> None:
        """Check every range."""
        super().validate()
        if not self.from_scratch:
            message = "--no-from-scratch: leave the option out to learn from stored games"
            raise InvalidConfig(message)
        for strategy in self.strategies:
            with about(f"{option('strategies')} {strategy}", InvalidConfig):
                SelfPlayConfig(**learning_of(strategy))
        different = {(*({"value": "own"} | learning_of(s)).values(),) for s in self.strategies}
        if not self.strategies or len(different) < len(self.strategies):
            message = f"{option('strategies')} {' '.join(self.strategies)}: give one or more, once"
            raise InvalidConfig(message)

    @property
    def compared(self) -> tuple[int, ...]:
        """The rounds after which experts and one network meet."""
        every = range(self.compare_every, self.updates + 1, self.compare_every)
        return tuple(sorted({*every, self.updates}))


PRESETS: dict[Preset, ScratchConfig] = presets_of(
    ScratchConfig(),
    standard={
        "trainings": published.TRAININGS,
        "network": "resnet-32x4",
        "updates": published.UPDATES,
        "games": 256,
        "nodes": 50,
        "buffer": 200_000,
        "training_batch": 256,
        "max_plies": 200,
        "match_games": 200,
        "match_nodes": 50,
    },
    paper={
        "network": "rise-256x15",
        "games": 13_654,
        "nodes": published.NODES,
        "samples_per_new": 6.0,
        "buffer": 8_192_000,
        "training_batch": 512,
        "optimizer": "sgd",
        "learning_rate": 0.05,
        "match_games": 1000,
        "match_nodes": published.NODES,
        "concurrency": 1024,
    },
)
"""The sizes, smallest first."""

SCRATCH: Study[ScratchConfig] = Study(
    name="m2cts-from-scratch",
    program="phasezoo reproduce m2cts --from-scratch",
    presets=PRESETS,
    stages="phasezoo.experiments.from_scratch.study:ScratchRun",
    packages={
        "torch": "train",
        "safetensors": "train",
        "pyarrow": "data",
        "matplotlib": "plot",
    },
    any_game=True,
)
"""The comparison from random weights."""
