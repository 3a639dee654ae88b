"""Learners from stored games, and data that many axes draw alike: games, positions, matches."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.data.positions import PositionTable, are_among
from phasezoo.data.splits import PositionStore, Splits
from phasezoo.data.starts import playable_states
from phasezoo.data.store import GameStore
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.config import GeneraliseConfig
from phasezoo.games import Game

Keys: TypeAlias = npt.NDArray[np.uint64]
KeysOf: TypeAlias = Callable[[PositionStore, PositionTable], Keys]
"""``uint64[P]``: keys by which positions of a store are compared with those of other stores."""

MIN_GAMES = 30
"""The fewest rated games of a band, which are divided into training and test."""


@dataclass(frozen=True)
class TrainingSet:
    """Stored games to learn from."""

    recorded_as: ClassVar[str] = "Lesson"
    """Name in a run's record, by which runs of version 0.2.0 are known again."""

    splits: Splits = field(repr=False)
    """Games for training and validation; the test part is not used."""
    gate: Any = "none"
    """Gate that names the phases."""
    phase: str | None = None
    """Phase to learn from; None: all."""


@dataclass(frozen=True)
class EvaluationSet:
    """Positions of stored games to be tested on."""

    recorded_as: ClassVar[str] = "Exam"
    """See :class:`TrainingSet`."""

    store: PositionStore = field(repr=False)
    """Games."""
    rows: PositionTable = field(repr=False)
    """Positions."""
    removed: int = field(default=0, repr=False)
    """Number of positions left out because games of a training set contain them."""


@dataclass(frozen=True)
class EvaluationMatch:
    """A match to be played."""

    recorded_as: ClassVar[str] = "Meeting"
    """See :class:`TrainingSet`."""

    game: Game
    """Game, with the options that say how games start."""
    opponent: Any
    """Opponent: an agent, or its text."""
    games: int
    """Number of games, a multiple of the number of players."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of :func:`phasezoo.arena.play_match`, such as ``openings``."""


def sampled(store: GameStore, games: int, test_games: int, seed: int) -> Splits:
    """Draw games of a store, in three parts.

    Args:
        store: The games.
        games: Games for training and validation, one in eleven for the latter.
        test_games: Games to test on; a third of all at most.
        seed: Draws them.
    """
    drawn = np.random.default_rng(seed).permutation(len(store))[: games + test_games]
    tests = min(test_games, len(drawn) // 3)
    rest = len(drawn) - tests
    shares = np.array([rest - rest // 11, rest // 11, tests]) / len(drawn)
    return store.subset(np.sort(drawn)).split(seed, tuple(shares / shares.sum()))


def rating_bands(store: GameStore, bounds: Sequence[int]) -> dict[str, npt.NDArray[np.int64]]:
    """Divide the games of a store by the mean rating of their players.

    Args:
        store: The games; those of which a player's rating is unknown are left out.
        bounds: Ratings at which bands begin, the first excepted; none: thirds of the games.

    Returns:
        Indices of games by the name of their band, from low to high.
    """
    ratings = store.columns.ratings
    rated = np.flatnonzero((ratings > 0).all(axis=1))
    means = ratings[rated].mean(axis=1)
    if not len(rated):
        message = f"no game of {store!r} has the ratings of its players"
        raise InvalidConfig(message)
    cuts = list(bounds) or np.ceil(np.quantile(means, (1 / 3, 2 / 3))).astype(int).tolist()
    if sorted(set(cuts)) != cuts:
        message = f"--bands {' '.join(map(str, cuts))}: ratings must ascend"
        raise InvalidConfig(message)
    found = {}
    for low, high in pairwise([None, *cuts, None]):
        inside = (means >= (low or 0)) & (means < (high or math.inf))
        name = f"below {high}" if low is None else f"{low}–{high - 1}" if high else f"from {low}"
        found[name] = rated[inside]
    counts = {name: len(games) for name, games in found.items()}
    if min(counts.values()) < MIN_GAMES:
        listed = ", ".join(f"{name}: {count:,}" for name, count in counts.items())
        message = (
            f"rated games by band: {listed}; each needs {MIN_GAMES} or more: give other --bands, "
            "or more games"
        )
        raise InvalidConfig(message)
    return found


def own_keys(store: PositionStore, rows: PositionTable) -> Keys:
    """Return the keys that positions have in their game."""
    del store
    return rows.key


def training_keys(parts: Iterable[Splits], keys_of: KeysOf = own_keys) -> Keys:
    """Return ``uint64[K]``: the positions of all training games, rising, each once.

    Games of validation are included: they choose the network that is kept.
    """
    stores = [store for part in parts for store in (part.train, part.validation)]
    return np.unique(np.concatenate([keys_of(store, store.positions()) for store in stores]))


def evaluation_set(
    splits: Splits,
    gate: str = "none",
    phase: str | None = None,
    known: Keys | None = None,
    keys_of: KeysOf = own_keys,
) -> EvaluationSet:
    """Return the test positions of a phase that no training game contains.

    Args:
        splits: The games.
        gate: Names the phases.
        phase: Which one; None: all.
        known: :func:`training_keys` of all rows; None: of these splits alone.
        keys_of: How positions are compared.
    """
    keys = training_keys([splits], keys_of) if known is None else known
    rows = splits.test.positions(gate)
    is_known = are_among(keys_of(splits.test, rows), keys)
    if phase is not None:
        of_phase = rows.phase == rows.phase_index(phase)
        rows, is_known = rows.select(of_phase), is_known[of_phase]
    return EvaluationSet(splits.test, rows.select(~is_known), removed=int(is_known.sum()))


def states_of(positions: EvaluationSet, count: int, seed: int) -> list[Any]:
    """Draw one state from each game of an evaluation set, at most ``count``."""
    store, rows = positions.store, positions.rows
    assert isinstance(store, GameStore)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows))
    _, first = np.unique(rows.game[order], return_index=True)
    drawn = playable_states(store, rows.select(rng.permutation(order[first])))
    return [state for _, state in islice(drawn, count)]


def training_set_of_states(game: Game, states: Iterable[Any], seed: int) -> TrainingSet:
    """Make a training set of positions of a solved game that has them as text.

    Each position has a perfect move, drawn if there are several; values are the outcomes of perfect
    play.
    """
    rng = np.random.default_rng(seed)
    actions, returns, starts = [], [], []
    for state in states:
        worth = game.action_scores(state)
        legal = np.asarray(state.legal_actions)
        actions.append(int(rng.choice(legal[worth == worth.max()])))
        own = float(np.sign(worth.max()))
        mover = state.to_play
        returns.append([own if player == mover else -own for player in range(2)])
        starts.append(state.fen)
    store = GameStore(
        game.name,
        actions,
        np.arange(len(actions) + 1),
        np.array(returns, dtype=np.float32),
        starts=dict(enumerate(starts)),
    )
    return TrainingSet(store.split(seed, (0.9, 0.1, 0.0)))


def adamw() -> dict[str, Any]:
    """Return the settings by which small networks learn from few positions."""
    return {"optimizer": "adamw", "max_lr": 3e-3, "tensorboard": False}


@dataclass(frozen=True)
class SupervisedLearner:
    """Trains a network on a :class:`TrainingSet`; returns an evaluator."""

    network: str
    """Architecture."""
    positions: int
    """Number of training positions it sees."""
    planes: str | None = None
    """Input planes; None: the game's default."""
    device: str | None = None
    """Device of training and evaluation."""
    threads: int | None = None
    """Number of threads; None: every usable core."""
    options: Mapping[str, Any] = field(default_factory=adamw)
    """Fields of :class:`phasezoo.training.SupervisedConfig`."""

    @classmethod
    def of(cls, config: GeneraliseConfig, **changes: Any) -> Self:
        """Return the learner that a run's settings ask for, with changes of its fields."""
        names = ("network", "positions", "device", "threads")
        return cls(**{name: getattr(config, name) for name in names} | changes)

    def __call__(self, data: TrainingSet, seed: int, out: Path) -> Any:
        """Train, go on, or load a finished network."""
        from phasezoo import inference, training

        result = training.train_supervised(
            data.splits.train,
            splits=data.splits,
            gate=data.gate,
            phase=data.phase,
            network=self.network,
            planes=self.planes,
            positions=self.positions,
            seed=seed,
            out=out,
            device=self.device,
            threads=self.threads,
            **self.options,
        )
        # A network that is tested on another variant evaluates a game that is not its own.
        return inference.load(
            result.path,
            "torch",
            device=self.device,
            threads=self.threads,
            allow_other_game=True,
        )


@dataclass(frozen=True)
class ExpertsLearner:
    """Trains an expert for each phase of a gate; the :class:`TrainingSet` has all phases."""

    network: str
    """Architecture of each expert."""
    positions: int
    """Number of training positions that all of them see together."""
    gate: str
    """Gate of the phases of the experts."""
    strategy: str = "separated"
    """Strategy of their training."""
    planes: str | None = None
    """Input planes; None: the game's default."""
    device: str | None = None
    """Device of training and evaluation."""
    threads: int | None = None
    """Number of threads; None: every usable core."""
    options: Mapping[str, Any] = field(default_factory=adamw)
    """Fields of :class:`phasezoo.training.SupervisedConfig`."""

    def __call__(self, data: TrainingSet, seed: int, out: Path) -> Any:
        """Train, go on, or load a finished network."""
        from phasezoo import training

        experts = training.train_experts(
            data.splits.train,
            self.gate,
            self.strategy,
            splits=data.splits,
            network=self.network,
            planes=self.planes,
            positions=self.positions,
            seed=seed,
            out=out,
            **{"device": self.device, "threads": self.threads, **self.options},
        )
        return experts.mixture(
            backend="torch", device=self.device, threads=self.threads, allow_other_game=True
        )
