"""Training and test data that many axes draw alike: stored games, and solved positions."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.learners import Lesson
from phasezoo.experiments.generalisation.measures import Exam
from phasezoo.games import Game
from phasezoo.training.positions import without_seen
from phasezoo.training.splits import Splits
from phasezoo.training.store import GameStore
from phasezoo.training.stored_states import state_at

__all__ = ["exam_of", "lesson_of_states", "rating_bands", "sampled", "states_of"]


MIN_GAMES = 30
"""Fewer rated games are no band: some are learnt from, some tested on."""


def sampled(store: GameStore, games: int, test_games: int, seed: int) -> Splits:
    """Some games of a store, drawn, in three parts.

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
    """The games of a store by the mean rating of their players.

    Args:
        store: The games; those of which a player's rating is unknown are left out.
        bounds: Ratings at which bands begin, the first excepted; none: thirds of the games.

    Returns:
        Indices of games by the name of their band, from low to high.

    Raises:
        InvalidConfig: Bounds do not ascend, or a band has too few games.
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
        told = ", ".join(f"{name}: {count:,}" for name, count in counts.items())
        message = (
            f"rated games by band: {told}; each needs {MIN_GAMES} or more: give other --bands, or "
            "more games"
        )
        raise InvalidConfig(message)
    return found


def exam_of(splits: Splits, gate: str = "none", phase: str | None = None) -> Exam:
    """The test positions of a phase that occur nowhere in training."""
    rows, _ = without_seen(splits.test.positions(gate), splits.train.positions(gate))
    return Exam(splits.test, rows if phase is None else rows.of_phase(phase))


def states_of(exam: Exam, count: int, seed: int) -> list[Any]:
    """States of different games of an exam, at most ``count``, one drawn from each."""
    store = exam.store
    assert isinstance(store, GameStore)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(exam.rows))
    _, first = np.unique(exam.rows.game[order], return_index=True)
    chosen = rng.permutation(order[first])[:count]
    places = zip(exam.rows.game[chosen], exam.rows.ply[chosen], strict=True)
    return [state_at(store, int(game), int(ply)) for game, ply in places]


def lesson_of_states(game: Game, states: Iterable[Any], seed: int) -> Lesson:
    """Positions of a solved game that has them as text, each with a perfect move to learn.

    Which of several is drawn; values to learn are the outcomes of perfect play.
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
    return Lesson(store.split(seed, (0.9, 0.1, 0.0)))
