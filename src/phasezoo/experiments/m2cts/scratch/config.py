"""The knobs of the comparison from random weights, and its sizes as values of them."""

import dataclasses
from dataclasses import dataclass
from typing import Literal, TypeAlias

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.m2cts.scratch import paper
from phasezoo.experiments.settings import check_even, check_least, check_positive, option
from phasezoo.training.strategies import Strategy, check_learns_by_play

__all__ = ["PRESETS", "Preset", "ScratchConfig"]

Preset: TypeAlias = Literal["quick", "standard", "paper"]


@dataclass(frozen=True)
class ScratchConfig:
    """Let one network, and experts for the phases, learn a game by play from random weights.

    Each strategy has its own games, played by its own experts. After some rounds the experts play
    the one network that has learnt as long. `quick` takes minutes on two cores, `standard` hours;
    `paper` is the published size and needs a cluster.
    """

    from_scratch: bool = True
    """What this is: without it networks learn from stored games."""
    game: str = "chess"
    """What is played (paper: chess)."""
    preset: Preset = "quick"
    """Where all other settings start from; each can still be given."""
    gate: str = "lichess"
    """What the phases are, such as lichess, or plies:14,28 (paper: lichess)."""
    strategies: tuple[str, ...] = ("separated", "staged")
    """How experts learn, each beside one network: separated, staged, weighted:FACTOR."""
    seed: int = 1
    """Everything random derives from it (0 or more)."""
    trainings: int = 1
    """Trainings of each side (1 or more; paper: 3). One says nothing of other trainings."""

    network: str = "resnet-16x2"
    """Architecture of every network (paper: RISEv3.3)."""
    planes: str | None = None
    """Input planes (none: the game's own)."""
    updates: int = 4
    """Rounds of playing and learning (1 or more; paper: 10)."""
    games: int = 64
    """Games of a round (1 or more; paper: as many as 819,200 samples take)."""
    nodes: int = 24
    """Nodes of a search in self-play (1 or more; paper: 800)."""
    samples_per_new: float = 4.0
    """How often a sample is learnt from (above 0; paper: 6)."""
    buffer: int = 50_000
    """Samples of the buffer (2 or more)."""
    training_batch: int = 64
    """Samples of a step (2 or more; paper: 512)."""
    optimizer: Literal["sgd", "adamw"] = "adamw"
    """What takes the steps (paper: SGD)."""
    learning_rate: float = 2e-3
    """Peak of every round's cycle (above 0; paper: 0.05 of SGD)."""
    max_plies: int = 120
    """Plies at which games are cut and counted as drawn (1 or more)."""

    compare_every: int = 2
    """Rounds from one match to the next; the last round always has one (1 or more)."""
    match_games: int = 60
    """Games of every match, an even number (2 or more)."""
    match_nodes: int = 24
    """Nodes of a move in matches (1 or more)."""
    concurrency: int = 64
    """Games at once (1 or more)."""
    threads: int | None = None
    """Threads of networks and searches (1 or more; none: every usable core)."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
        """
        one: tuple[str, ...] = (
            "trainings",
            "updates",
            "games",
            "nodes",
            "max_plies",
            "compare_every",
        )
        one += ("match_nodes", "concurrency", "threads")
        two = ("buffer", "training_batch", "match_games")
        check_least(self, {"seed": 0, **dict.fromkeys(one, 1), **dict.fromkeys(two, 2)})
        check_positive(self, ("samples_per_new", "learning_rate"))
        if not self.from_scratch:
            message = "--no-from-scratch: leave the option out to learn from stored games"
            raise InvalidConfig(message)
        check_even(self, "match_games")
        for strategy in self.strategies:
            check_learns_by_play(Strategy.parse(strategy), f"{option('strategies')} {strategy}")
        if not self.strategies or len(set(self.strategies)) < len(self.strategies):
            message = f"{option('strategies')} {' '.join(self.strategies)}: give one or more, once"
            raise InvalidConfig(message)

    @property
    def compared(self) -> tuple[int, ...]:
        """The rounds after which experts and one network meet."""
        every = range(self.compare_every, self.updates + 1, self.compare_every)
        return tuple(sorted({*every, self.updates}))


_QUICK = ScratchConfig()

_STANDARD = dataclasses.replace(
    _QUICK,
    preset="standard",
    trainings=paper.TRAININGS,
    network="resnet-32x4",
    updates=paper.UPDATES,
    games=256,
    nodes=50,
    buffer=200_000,
    training_batch=256,
    max_plies=200,
    match_games=200,
    match_nodes=50,
)

_PAPER = dataclasses.replace(
    _STANDARD,
    preset="paper",
    network="rise-256x15",
    games=13_654,
    nodes=paper.NODES,
    samples_per_new=6.0,
    buffer=8_192_000,
    training_batch=512,
    optimizer="sgd",
    learning_rate=0.05,
    match_games=1000,
    match_nodes=paper.NODES,
    concurrency=1024,
)

PRESETS: dict[Preset, ScratchConfig] = {"quick": _QUICK, "standard": _STANDARD, "paper": _PAPER}
"""The sizes, smallest first."""
