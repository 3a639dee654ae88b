"""Generalisation on the board of chess: to other phases, other variants, other players' games."""

from functools import cache

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.data.positions import PositionTable
from phasezoo.data.splits import PositionStore, Splits
from phasezoo.data.starts import start_state
from phasezoo.data.store import GameStore
from phasezoo.errors import InvalidConfig, InvalidFen
from phasezoo.experiments.generalisation.config import Axis, GeneraliseConfig, Split
from phasezoo.experiments.generalisation.learners import (
    EvaluationSet,
    SupervisedLearner,
    TrainingSet,
    evaluation_set,
    rating_bands,
    sampled,
    training_keys,
)
from phasezoo.experiments.generalisation.measures import Losses

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
            lambda seed, phase=phase: TrainingSet(splits(), GATE, phase),
            lambda seed, phase=phase: evaluation_set(splits(), GATE, phase),
        )
        for phase in PHASES
    )
    everything = Split("all phases", lambda seed: TrainingSet(splits()))
    about = (
        "Moves of the sample games of chess by the gate lichess; tested on other games, on "
        "positions that occur nowhere in training."
    )
    learner = SupervisedLearner.of(config)
    return Axis("chess/phases", (*columns, everything), learner, Losses(), about, by_phase=True)


def variants(config: GeneraliseConfig) -> Axis:
    """Chess, chess960, atomic chess and crazyhouse, which share planes and actions."""

    @cache
    def splits(name: str) -> Splits:
        return sampled(GameStore.sample(name), config.games, config.test_games, config.seed)

    @cache
    def known() -> npt.NDArray[np.uint64]:
        return training_keys(map(splits, VARIANTS), _shared_keys)

    columns = tuple(
        Split(
            name,
            lambda seed, name=name: TrainingSet(splits(name)),
            lambda seed, name=name: evaluation_set(
                splits(name), known=known(), keys_of=_shared_keys
            ),
        )
        for name in VARIANTS
    )
    about = (
        "Moves of the sample games of each variant, by networks that see the planes `shared` and "
        "know the actions of all; tested on other games, on positions that occur in no training of "
        "any variant."
    )
    learner = SupervisedLearner.of(config, planes="shared")
    return Axis("chess/variants", columns, learner, Losses(), about)


def _shared_keys(store: PositionStore, rows: PositionTable) -> npt.NDArray[np.uint64]:
    """Keys that are equal if positions look alike, whatever is played.

    Chess, chess960 and atomic chess have the same; a position of crazyhouse with empty pockets gets
    that of chess, unless chess has no such position.
    """
    if not isinstance(store, GameStore) or store.game.name != "crazyhouse":
        return rows.key
    chess, keys = games.make("chess"), rows.key.copy()
    state, reached = None, (-1, 0)
    for row, place in enumerate(zip(rows.game.tolist(), rows.ply.tolist(), strict=True)):
        game, ply = place
        if state is None or game != reached[0]:
            state, reached = start_state(store.game, store.starts.get(game, "")), (game, 0)
        begin = int(store.offsets[game])
        played = np.asarray(store.actions)[begin + reached[1] : begin + ply]
        for action in played.reshape(-1):
            state = state.play(int(action))
        reached = place
        if "[]" in state.fen:
            try:
                keys[row] = chess.from_fen(state.fen.replace("[]", "")).key
            except InvalidFen:  # a dropped or promoted piece may be one too many
                continue
    return keys


def ratings(config: GeneraliseConfig) -> Axis:
    """Rated games of one's own by the mean rating of their players."""
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

    def test(name: str) -> EvaluationSet:
        return evaluation_set(Splits(train, validation, bands[name].test))

    columns = tuple(
        Split(name, TrainingSet(splits), lambda seed, name=name: test(name))
        for name, splits in bands.items()
    )
    everything = Split("all ratings", TrainingSet(Splits(train, validation, validation)))
    about = (
        f"Games of {store.game.name} by the mean rating of their players, {len(train):,} to learn "
        "from; tested on other games, on positions that occur in no training."
    )
    learner = SupervisedLearner.of(config)
    return Axis("chess/ratings", (*columns, everything), learner, Losses(), about)
