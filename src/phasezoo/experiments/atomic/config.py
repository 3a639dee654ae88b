"""The knobs of the study of atomic chess, and its sizes as values of them."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.atomic import published
from phasezoo.experiments.settings import (
    check_even,
    check_least,
    check_positive,
    check_rising,
    listed,
    option,
)
from phasezoo.experiments.study import Study

__all__ = ["VARIANTS", "ATOMIC", "INPUTS", "PRESETS", "AtomicConfig", "Preset"]

Preset: TypeAlias = Literal["quick", "standard", "paper"]

VARIANTS = {
    "thesis": "the thesis’ own: mini-batches from a buffer that prefers newer samples",
    "last-step": "a buffer that holds the samples of the last round alone",
    "half-buffer": "half the buffer",
    "whole-buffer": "every round learns as many samples as the buffer holds",
    "even-ages": "old and new samples of the buffer are drawn alike",
    "other-heads": "moves read from planes, and win, draw and loss in place of one number",
    "adamw": "AdamW in place of SGD",
}
"""What is varied of learning, by name."""

INPUTS = {
    "repetitions": (12, 13),
    "en-passant": (14,),
    "colour": (15,),
    "move-number": (16,),
    "castling": (17, 18, 19, 20),
    "clock": (21,),
    "last-moves": tuple(range(23, 39)),
}
"""What is shown besides the twelve planes of pieces, one at a time: planes of ``v1`` by name."""

_SMALL = "resnet-16x2:policy=dense,value=mse,value_channels=1,value_units=64"


@dataclass(frozen=True)
class AtomicConfig:
    """Learn atomic chess from nothing, vary what the thesis varied, and measure the search.

    Sizes come as presets: `quick` takes minutes on two cores and shows whether anything is learnt;
    `standard` has every variant and takes hours; `paper` is the thesis' own size and needs a GPU.
    """

    preset: Preset = "quick"
    """Where all other settings start from; each can still be given."""
    seed: int = 1
    """Everything random derives from it (0 or more)."""

    arms: tuple[str, ...] = ("thesis", "last-step")
    """What is varied of learning; thesis is what the others are compared with, and always among
    them. There are thesis, last-step, half-buffer, whole-buffer, even-ages, other-heads, adamw."""
    inputs: tuple[str, ...] = ()
    """What is shown besides the pieces, one at a time: repetitions, en-passant, colour,
    move-number, castling, clock, last-moves."""

    network: str = _SMALL
    """Architecture (thesis: 128 channels, 12 blocks)."""
    updates: int = 4
    """Rounds of playing and learning (1 or more)."""
    games: int = 240
    """Games of a round (1 or more)."""
    nodes: int = 40
    """Nodes of a search in self-play (1 or more; thesis: 800 simulations)."""
    buffer: int = 12_000
    """Samples of the buffer (2 or more; thesis: 200,000)."""
    last_step: int = 2_000
    """Samples of the buffer that holds the last round alone (2 or more; thesis: 2,048)."""
    samples_per_new: float = 4.0
    """How often a sample is learnt from (above 0; thesis: about twice)."""
    training_batch: int = 64
    """Samples of a step (2 or more; thesis: 4,096)."""
    learning_rate: float = 0.02
    """Of SGD with momentum 0.9 and weight decay 1e-4 (above 0; thesis: 0.01 with its batch)."""
    max_plies: int = 200
    """Plies at which games are cut and counted as drawn (1 or more)."""

    match_games: int = 60
    """Games of every match, an even number (2 or more; thesis: 1,000)."""
    match_nodes: int = 16
    """Nodes of a move in matches (1 or more; thesis: 3,000 simulations)."""
    probe_positions: int = 40
    """Mates in two that are shown to versions (1 or more)."""

    simulations: tuple[int, ...] = (250, 1000)
    """Simulations of searches whose collisions are counted (1 or more; thesis: 1,000, 5,000). With
    the most of them versions look for mates in two (thesis: 10,000)."""
    search_batch: int = 16
    """Leaves a batch of these searches (2 or more)."""
    search_positions: int = 8
    """Positions that they are made in (1 or more)."""
    batches: tuple[int, ...] = (1, 8, 64, 256)
    """Batch sizes at which the network is timed (1 or more)."""
    workers: tuple[int, ...] = (1, 2)
    """Processes that play at the same time (1 or more; thesis: up to 15)."""
    worker_games: int = 24
    """Games that each of them plays (1 or more)."""

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
            "updates",
            "games",
            "nodes",
            "max_plies",
            "match_nodes",
            "probe_positions",
        )
        one += ("search_positions", "worker_games", "concurrency", "threads")
        two = ("buffer", "last_step", "training_batch", "match_games", "search_batch")
        check_least(self, {"seed": 0, **dict.fromkeys(one, 1), **dict.fromkeys(two, 2)})
        check_positive(self, ("samples_per_new", "learning_rate"))
        check_even(self, "match_games")
        for name in ("simulations", "batches", "workers"):
            check_rising(name, getattr(self, name))
        _check_names("arms", self.arms, VARIANTS)
        _check_names("inputs", self.inputs, INPUTS)
        if "thesis" not in self.arms:
            message = f"--arms {listed(self.arms)}: must have thesis among them"
            raise InvalidConfig(message)


def _check_names(name: str, given: tuple[str, ...], known: Mapping[str, object]) -> None:
    if not set(given) <= set(known) or len(set(given)) < len(given):
        message = f"{option(name)} {listed(given)}: expected are {listed(known)}, each once"
        raise InvalidConfig(message)


_QUICK = AtomicConfig()

_STANDARD = dataclasses.replace(
    _QUICK,
    preset="standard",
    arms=tuple(VARIANTS),
    inputs=tuple(INPUTS),
    network=_SMALL.replace("16x2", "32x4"),
    updates=20,
    games=256,
    nodes=100,
    buffer=100_000,
    last_step=8_000,
    training_batch=256,
    learning_rate=0.08,
    match_games=400,
    samples_per_new=2.0,
    match_nodes=100,
    probe_positions=100,
    simulations=(1000, 5000),
    search_positions=20,
    worker_games=128,
)

_PAPER = dataclasses.replace(
    _STANDARD,
    preset="paper",
    network=published.NETWORK,
    updates=published.STEPS // 8,
    games=410,
    nodes=published.SIMULATIONS,
    buffer=published.BUFFER,
    last_step=published.NEW_SAMPLES,
    training_batch=published.BATCH,
    learning_rate=0.01,
    match_games=1000,
    match_nodes=3000,
    workers=(1, 2, 4, 8, 15),
    concurrency=1024,
)

PRESETS: dict[Preset, AtomicConfig] = {"quick": _QUICK, "standard": _STANDARD, "paper": _PAPER}
"""The sizes, smallest first."""

ATOMIC: Study[AtomicConfig] = Study(
    name="atomic",
    program="phasezoo reproduce atomic",
    presets=PRESETS,
    stages="phasezoo.experiments.atomic.study:AtomicRun",
    packages={"matplotlib": "plot", "torch": "train", "pyarrow": "data"},
)
