"""Generalisation in the endgame: from some distances to mate, or some positions, to others."""

import itertools
from typing import Any

from phasezoo import games
from phasezoo.experiments.generalisation.config import Axis, Environment, GeneraliseConfig, Split
from phasezoo.experiments.generalisation.learners import (
    SupervisedLearner,
    TrainingSet,
    training_set_of_states,
)
from phasezoo.experiments.generalisation.measures import Regret
from phasezoo.training.solved import Starts
from phasezoo.zoo.krk.game import KRK

BANDS = ((1, 4), (5, 8), (9, 12), (13, 16))
"""Moves to mate; 16 is the longest win."""

TESTED = 8
"""One position in so many is tested where training may have the same starts."""

_SEEDS = 1 << 62
"""Seeds of starts stay below it, as the core wants them."""


def distance(config: GeneraliseConfig) -> Axis:
    """Starts by their distance to mate; no start tested is a mirror image of one in training."""
    splits = [
        Split(
            f"mate in {low}–{high}",
            lambda seed, band=(low, high): _training_set(config, seed, "train", band),
            lambda seed, band=(low, high): _starts(config, seed, "heldout", band),
            environment=_environment("train", (low, high)),
        )
        for low, high in BANDS
    ]
    about = (
        "Positions of king and rook against king by the moves to mate, each with a perfect move. "
        "What is tested is held out of all training, with its mirror images."
    )
    everything = Split(
        "any distance",
        lambda seed: _training_set(config, seed, "train", None),
        environment=_environment("train", None),
    )
    return _axis("krk/distance", (*splits, everything), config, about)


def regions(config: GeneraliseConfig) -> Axis:
    """The starts that the game holds out, and the region that it does."""
    names = ("train", "heldout", "heldout-region")
    splits = tuple(
        Split(
            name,
            lambda seed, name=name: _training_set(config, seed, name, None, tested=False),
            lambda seed, name=name: _starts(config, seed, name, None, tested=True),
            environment=_environment(name, None),
        )
        for name in names
    )
    about = (
        "The splits of the game: train and heldout are four fifths and one fifth of all starts, "
        "divided by a hash; heldout-region is in neither: the lone king on the rim, mate in 8 to "
        f"11. One position in {TESTED}, by its key, is tested and in no training set."
    )
    return _axis("krk/regions", splits, config, about)


def _axis(name: str, splits: tuple[Split, ...], config: GeneraliseConfig, about: str) -> Axis:
    learner = SupervisedLearner.of(config)
    return Axis(name, splits, learner, Regret(), about)


def _environment(start: str, band: tuple[int, int] | None) -> Environment:
    return "KRK-v0", {"start": start} | ({} if band is None else {"dtm": band})


def _training_set(
    config: GeneraliseConfig,
    seed: int,
    start: str,
    band: tuple[int, int] | None,
    tested: bool | None = None,
) -> TrainingSet:
    # Each position is seen a few times, as those of games are.
    states = _states(config.positions // 2, seed, start, band, tested)
    return training_set_of_states(KRK, states, seed)


def _starts(
    config: GeneraliseConfig,
    seed: int,
    start: str,
    band: tuple[int, int] | None,
    tested: bool | None = None,
) -> Starts:
    return Starts(KRK, tuple(_states(config.test_games * 5, seed, start, band, tested)))


def _states(
    count: int, seed: int, start: str, band: tuple[int, int] | None, tested: bool | None
) -> list[Any]:
    """Drawn starts; of those that are tested, of the others, or of all."""
    game = games.make("krk", start=start, dtm=band)
    drawn = (game.initial_state(seed=(seed + each) % _SEEDS) for each in itertools.count())
    wanted = (s for s in drawn if tested is None or (s.key % TESTED == 0) == tested)
    return list(itertools.islice(wanted, count))
