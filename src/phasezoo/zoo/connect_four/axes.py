"""Generalisation in Connect Four: from some plies of its games to others."""

import importlib.util

from phasezoo.data.store import GameStore
from phasezoo.experiments.generalisation.config import Axis, GeneraliseConfig, Split
from phasezoo.experiments.generalisation.learners import (
    SupervisedLearner,
    TrainingSet,
    evaluation_set,
    sampled,
    states_of,
)
from phasezoo.experiments.generalisation.measures import Losses, Regret
from phasezoo.training.solved import Starts
from phasezoo.zoo.connect_four.game import CONNECT_FOUR

GATE = "plies:10,20"
PHASES = ("up to 10", "11–20", "over 20")


def plies(config: GeneraliseConfig) -> Axis:
    """Sample games by ply; moves are judged by the solver if it is installed, else by losses."""
    splits = sampled(
        GameStore.sample("connect-four"), config.games * 2, config.test_games * 5, config.seed
    )
    is_solved = importlib.util.find_spec("bitbully") is not None

    def test(phase: str, seed: int) -> object:
        positions = evaluation_set(splits, GATE, phase)
        if not is_solved:
            return positions
        states = states_of(positions, config.test_games * 2, seed)
        return Starts(CONNECT_FOUR, tuple(states), positions.removed)

    columns = tuple(
        Split(
            f"plies {phase}",
            TrainingSet(splits, GATE, phase),
            lambda seed, phase=phase: test(phase, seed),
        )
        for phase in PHASES
    )
    learner = SupervisedLearner.of(config)
    about = (
        "Positions of the sample games by the stones on the board, tested on positions of other "
        "games that occur nowhere in training, "
        + (
            "one of each game, by the solver."
            if is_solved
            else "by losses (the extra `solve` judges moves exactly)."
        )
    )
    everything = Split("all plies", TrainingSet(splits))
    return Axis(
        "connect-four/plies",
        (*columns, everything),
        learner,
        Regret() if is_solved else Losses(),
        about,
        by_phase=True,
    )
