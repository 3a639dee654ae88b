"""Training and test data that many axes draw alike: stored games, and solved positions."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.data.positions import PositionTable, are_among
from phasezoo.data.splits import PositionStore, Splits
from phasezoo.data.store import GameStore
from phasezoo.data.stored_states import state_at
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.learners import Lesson
from phasezoo.experiments.generalisation.measures import Exam
from phasezoo.games import Game

__all__ = [
    "KeysOf",
    "exam_of",
    "learnt_keys",
    "lesson_of_states",
    "own_keys",
    "rating_bands",
    "sampled",
    "states_of",
]

Keys: TypeAlias = npt.NDArray[np.uint64]
KeysOf: TypeAlias = Callable[[PositionStore, PositionTable], Keys]
"""``uint64[P]``: keys by which positions of a store are compared with those of other stores."""

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


def own_keys(store: PositionStore, rows: PositionTable) -> Keys:
    """The keys that positions have in their game."""
    del store
    return rows.key


def learnt_keys(parts: Iterable[Splits], keys_of: KeysOf = own_keys) -> Keys:
    """``uint64[K]``: every position of games that somebody learns from, rising, each once.

    Games of validation are among them: they choose the network that is kept.

    Args:
        parts: What is learnt from, by all rows of an axis.
        keys_of: How positions are compared.
    """
    stores = [store for part in parts for store in (part.train, part.validation)]
    return np.unique(np.concatenate([keys_of(store, store.positions()) for store in stores]))


def exam_of(
    splits: Splits,
    gate: str = "none",
    phase: str | None = None,
    learnt: Keys | None = None,
    keys_of: KeysOf = own_keys,
) -> Exam:
    """The test positions of a phase that no game contains from which somebody learns.

    Args:
        splits: The games.
        gate: Names the phases.
        phase: Which one; None: all.
        learnt: What :func:`learnt_keys` found; None: in these splits alone.
        keys_of: How positions are compared.
    """
    known = learnt_keys([splits], keys_of) if learnt is None else learnt
    rows = splits.test.positions(gate)
    is_known = are_among(keys_of(splits.test, rows), known)
    if phase is not None:
        of_phase = rows.phase == rows.phase_index(phase)
        rows, is_known = rows.select(of_phase), is_known[of_phase]
    return Exam(splits.test, rows.select(~is_known), removed=int(is_known.sum()))


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
