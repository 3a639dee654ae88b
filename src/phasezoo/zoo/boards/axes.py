"""Generalisation on the board of chess: to other phases, other variants, other players' games."""

from functools import cache

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.axis import Axis, Split
from phasezoo.experiments.generalisation.config import GeneraliseConfig
from phasezoo.experiments.generalisation.learners import Lesson, SupervisedLearner
from phasezoo.experiments.generalisation.lessons import exam_of, rating_bands, sampled
from phasezoo.experiments.generalisation.measures import Exam, Losses
from phasezoo.training.splits import Splits
from phasezoo.training.store import GameStore

__all__ = ["phases", "ratings", "variants"]

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
    return Axis("chess/phases", (*columns, everything), learner, Losses(), about, by_phase=True)


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


def ratings(config: GeneraliseConfig) -> Axis:
    """Rated games of one's own by the mean rating of their players.

    Raises:
        InvalidConfig: No store is given, it is of another game, or it has too few rated games.
        StoreError: The store cannot be read.
    """
    if config.store is None:
        message = (
            "chess/ratings learns from rated games, and the package's own have no ratings: give "
            "--store FOLDER, made by `phasezoo data import games.pgn FOLDER`"
        )
        raise InvalidConfig(message)
    store = GameStore.open(config.store)
    if store.game.name not in VARIANTS:
        message = (
            f"--store {config.store}: holds games of {store.game.name!r}; chess/ratings takes "
            f"{', '.join(VARIANTS)}"
        )
        raise InvalidConfig(message)
    bands = {
        name: sampled(store.subset(games), config.games, config.test_games, config.seed)
        for name, games in rating_bands(store, config.bands).items()
    }
    parts = [(each.train, each.validation) for each in bands.values()]
    train, validation = (GameStore.merge(stores) for stores in zip(*parts, strict=True))

    def exam(name: str) -> Exam:
        return exam_of(Splits(train, validation, bands[name].test))

    columns = tuple(
        Split(name, Lesson(splits), lambda seed, name=name: exam(name))
        for name, splits in bands.items()
    )
    everything = Split("all ratings", Lesson(Splits(train, validation, validation)))
    about = (
        f"Games of {store.game.name} by the mean rating of their players, {len(train):,} to learn "
        "from in all; tested on other games, on positions that occur in no training."
    )
    learner = SupervisedLearner(
        config.network, config.positions, device=config.device, threads=config.threads
    )
    return Axis("chess/ratings", (*columns, everything), learner, Losses(), about)
