"""The knobs of the study of atomic chess, and its sizes as values of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from annotated_types import Ge, Interval, MultipleOf

from phasezoo import games
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.atomic import published
from phasezoo.experiments.settings import StudySettings, check_rising, listed, option, presets_of
from phasezoo.experiments.study import Study
from phasezoo.specs import NonNegativeInt, PositiveFloat, PositiveInt
from phasezoo.training.catalogue import probes_of
from phasezoo.training.probes.tactics import Puzzle, solutions

Preset: TypeAlias = Literal["quick", "standard", "paper"]

VARIANTS = {
    "thesis": "the thesis’ own: mini-batches from a buffer that prefers newer samples",
    "last-step": "a buffer that holds the samples of the last round alone",
    "half-buffer": "half the buffer",
    "whole-buffer": "every round learns as many samples as the buffer holds",
    "even-ages": "old and new samples of the buffer are drawn alike",
    "other-heads": "moves read from planes, and win, draw and loss in place of one number",
    "adamw": "AdamW in place of SGD",
    "mirrored": "samples are mirrored at random where nobody may castle",
    "hotter": "moves drawn at twice the temperature at first, which falls by 3 % a ply",
    "game-weights": "every game counts alike, however many samples it has",
    "later-starts": "half of the games begin at a position of the package’s games",
}
"""Variants of learning, by name."""

NAMED_AS_FUTURE = ("mirrored", "hotter", "game-weights", "later-starts")
"""Those that the thesis names and did not try."""

INPUTS = {
    "repetitions": (12, 13),
    "en-passant": (14,),
    "colour": (15,),
    "move-number": (16,),
    "castling": (17, 18, 19, 20),
    "clock": (21,),
    "last-moves": tuple(range(23, 39)),
}
"""Planes of ``v1`` that a variant adds to the twelve planes of pieces, by its name."""

_SMALL = "resnet-16x2:policy=dense,value=mse,value_channels=1,value_units=64"


@dataclass(frozen=True)
class AtomicConfig(StudySettings):
    """Learn atomic chess from nothing, vary what the thesis varied, and measure the search.

    Sizes come as presets: `quick` takes minutes on two cores and shows whether anything is learned;
    `standard` has every variant and takes hours; `paper` is the thesis' own size and needs a GPU.
    """

    common: ClassVar[tuple[str, ...]] = (
        "preset",
        "seed",
        "arms",
        "network",
        "updates",
        "games",
        "nodes",
        "match_games",
    )

    preset: Preset = "quick"

    arms: tuple[str, ...] = ("thesis", "last-step")
    """Variants of learning; thesis is what the others are compared with, and always one of
    them. There are thesis, last-step, half-buffer, whole-buffer, even-ages, other-heads, adamw,
    and what it names as future: mirrored, hotter, game-weights, later-starts."""
    inputs: tuple[str, ...] = ()
    """Inputs added to the pieces, one at a time: repetitions, en-passant, colour,
    move-number, castling, clock, last-moves."""

    network: str = _SMALL
    """Architecture (thesis: 128 channels, 12 blocks)."""
    updates: PositiveInt = 4
    """Rounds of playing and learning."""
    games: PositiveInt = 240
    """Games of a round."""
    nodes: PositiveInt = 40
    """Nodes of a search in self-play (thesis: 800 simulations)."""
    buffer: Annotated[int, Ge(2)] = 12_000
    """Samples of the buffer (thesis: 200,000)."""
    last_step: Annotated[int, Ge(2)] = 2_000
    """Samples of the buffer that holds the last round alone (thesis: 2,048)."""
    samples_per_new: PositiveFloat = 4.0
    """How often a sample is used (thesis: about twice)."""
    training_batch: Annotated[int, Ge(2)] = 64
    """Samples of a step (thesis: 4,096)."""
    learning_rate: PositiveFloat = 0.02
    """Of SGD with momentum 0.9 and weight decay 1e-4 (thesis: 0.01 with its batch)."""
    max_plies: PositiveInt = 200
    """Plies at which games are cut and counted as drawn."""

    match_games: Annotated[int, Ge(2), MultipleOf(2)] = 60
    """Games of every match, an even number (thesis: 1,000)."""
    match_nodes: PositiveInt = 16
    """Nodes of a move in matches (thesis: 3,000 simulations)."""
    probe_positions: PositiveInt = 40
    """Mates in two that are shown to versions."""

    mate: str = ""
    """Position with a mate in two, a FEN, from which games are played one after another (none: the
    first of the package's)."""
    mate_games: NonNegativeInt = published.MATE_GAMES
    """Number of these games (0: none)."""
    mate_simulations: PositiveInt = published.MATE_SIMULATIONS
    """Simulations of their searches."""
    mate_plies: PositiveInt = 20
    """Plies at which they are cut."""

    simulations: tuple[PositiveInt, ...] = (250, 1000)
    """Simulations of searches whose collisions are counted (thesis: 1,000, 5,000). With the most of
    them versions look for mates in two (thesis: 10,000)."""
    search_batch: Annotated[int, Interval(ge=2, le=65_535)] = 16
    """Leaves a batch of these searches."""
    search_positions: PositiveInt = 8
    """Positions that they are made in."""
    batches: tuple[PositiveInt, ...] = (1, 8, 64, 256)
    """Batch sizes at which the network is timed."""
    workers: tuple[PositiveInt, ...] = (1, 2)
    """Processes that play at the same time (thesis: up to 15)."""
    worker_games: PositiveInt = 24
    """Games that each of them plays."""

    concurrency: PositiveInt = 64
    """Games at once."""

    def validate(self) -> None:
        """Check every range."""
        super().validate()
        for name in ("simulations", "batches", "workers"):
            check_rising(name, getattr(self, name))
        _check_names("arms", self.arms, VARIANTS)
        _check_names("inputs", self.inputs, INPUTS)
        if "thesis" not in self.arms:
            message = f"--arms {listed(self.arms)}: must have thesis among them"
            raise InvalidConfig(message)
        if self.mate and self.mate_games:
            one_mate(self.mate)


def one_mate(fen: str) -> Puzzle:
    """Return a position with a mate in two, and the moves that force it.

    Args:
        fen: The position; empty: the first of the package's.
    """
    game = games.make("atomic")
    if not fen:
        (probe,) = probes_of(game, 1)
        found: Any = probe.function
        puzzle: Puzzle = found.puzzles()[0]
        return puzzle
    state = game.from_fen(fen)
    moves = [] if solutions(state, 1) else solutions(state, 2)
    if not moves:
        message = f"--mate {fen!r}: who moves there forces mate in two moves, and not in one"
        raise InvalidConfig(message)
    return Puzzle(state, frozenset(moves))


def _check_names(name: str, given: tuple[str, ...], known: Mapping[str, object]) -> None:
    if not set(given) <= set(known) or len(set(given)) < len(given):
        message = f"{option(name)} {listed(given)}: expected are {listed(known)}, each once"
        raise InvalidConfig(message)


PRESETS: dict[Preset, AtomicConfig] = presets_of(
    AtomicConfig(),
    standard={
        "arms": tuple(name for name in VARIANTS if name not in NAMED_AS_FUTURE),
        "inputs": tuple(INPUTS),
        "network": _SMALL.replace("16x2", "32x4"),
        "updates": 20,
        "games": 256,
        "nodes": 100,
        "buffer": 100_000,
        "last_step": 8_000,
        "training_batch": 256,
        "learning_rate": 0.08,
        "match_games": 400,
        "samples_per_new": 2.0,
        "match_nodes": 100,
        "probe_positions": 100,
        "simulations": (1000, 5000),
        "search_positions": 20,
        "worker_games": 128,
    },
    paper={
        "network": published.NETWORK,
        "updates": published.STEPS // 8,
        "games": 410,
        "nodes": published.SIMULATIONS,
        "buffer": published.BUFFER,
        "last_step": published.NEW_SAMPLES,
        "training_batch": published.BATCH,
        "learning_rate": 0.01,
        "match_games": 1000,
        "match_nodes": 3000,
        "workers": (1, 2, 4, 8, 15),
        "concurrency": 1024,
    },
)
"""The sizes, smallest first."""

ATOMIC: Study[AtomicConfig] = Study(
    name="atomic",
    program="phasezoo reproduce atomic",
    presets=PRESETS,
    stages="phasezoo.experiments.atomic.study:AtomicRun",
    packages={"matplotlib": "plot", "torch": "train", "pyarrow": "data"},
)
