"""Generalisation on the board of chess: from openings to endgames, from chess to its variants."""

from functools import cache

from phasezoo.experiments.generalisation.axis import Axis, Split
from phasezoo.experiments.generalisation.config import GeneraliseConfig
from phasezoo.experiments.generalisation.learners import Lesson, SupervisedLearner
from phasezoo.experiments.generalisation.lessons import exam_of, sampled
from phasezoo.experiments.generalisation.measures import Losses
from phasezoo.training.splits import Splits
from phasezoo.training.store import GameStore

__all__ = ["phases", "variants"]

GATE = "lichess"
PHASES = ("opening", "middlegame", "endgame")
VARIANTS = ("chess", "chess960", "atomic", "crazyhouse")


def phases(config: GeneraliseConfig) -> Axis:
    """The phases of chess by Lichess' definition, of the sample games."""

    @cache
    def splits() -> Splits:
        return sampled(GameStore.sample("chess"), config.games, config.test_games, config.seed)

    columns = tuple(
        Split(
            phase,
            lambda seed, phase=phase: Lesson(splits(), GATE, phase),
            lambda seed, phase=phase: exam_of(splits(), GATE, phase),
        )
        for phase in PHASES
    )
    everything = Split("all phases", lambda seed: Lesson(splits()))
    about = (
        "Moves of the sample games of chess by the gate lichess; tested on other games, on "
        "positions that occur nowhere in training."
    )
    learner = SupervisedLearner(
        config.network, config.positions, device=config.device, threads=config.threads
    )
    return Axis("chess/phases", (*columns, everything), learner, Losses(), about)


def variants(config: GeneraliseConfig) -> Axis:
    """Chess, chess960, atomic chess and crazyhouse, which share planes and actions."""

    @cache
    def splits(name: str) -> Splits:
        return sampled(GameStore.sample(name), config.games, config.test_games, config.seed)

    columns = tuple(
        Split(
            name,
            lambda seed, name=name: Lesson(splits(name)),
            lambda seed, name=name: exam_of(splits(name)),
        )
        for name in VARIANTS
    )
    about = (
        "Moves of the sample games of each variant, by networks that see the planes `shared` and "
        "know the actions of all; tested on other games."
    )
    learner = SupervisedLearner(
        config.network,
        config.positions,
        planes="shared",
        device=config.device,
        threads=config.threads,
    )
    return Axis("chess/variants", columns, learner, Losses(), about)
