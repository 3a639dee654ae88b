"""Sources that draw the start positions of self-play."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from phasezoo.arena.openings import OpeningSuite, as_suite
from phasezoo.checking import type_name
from phasezoo.data.columns import Start
from phasezoo.data.starts import start_state, start_text
from phasezoo.data.state_records import played as replay
from phasezoo.data.store import GameStore
from phasezoo.errors import CorruptRecord, InvalidConfig, InvalidState
from phasezoo.games import Game, legal_actions_of
from phasezoo.games.contracts import played
from phasezoo.games.options import at_least
from phasezoo.games.queries import action_of
from phasezoo.types import SIMULTANEOUS

_TRIES = 100
"""Number of draws, each of which may be of a game that is over, before an error."""


class Begun(NamedTuple):
    """A game up to the agent's first move."""

    start: Start | None
    """Text of the first state; None if it has none."""
    states: tuple[Any, ...]
    """States so far, oldest first."""
    actions: tuple[Any, ...] = ()
    """Action in each of them but the last."""


class StartSource(Protocol):
    """Draws starts of games; a user's own needs this method alone."""

    def begin(self, game: Game, rng: np.random.Generator) -> Begun:
        """Draw a start of ``game`` from ``rng`` alone."""
        ...


@dataclass(frozen=True)
class UsualStart:
    """The game's usual start, drawn by a seed in games with random ones."""

    def begin(self, game: Game, rng: np.random.Generator) -> Begun:
        """See :class:`StartSource`."""
        if not game.takes_seed:
            return Begun("", (game.initial_state(),))
        seed = int(rng.integers(2**63))
        state = game.initial_state(seed)
        text = start_text(game, state)
        return Begun(f"seed:{seed}" if text is None else text, (state,))


@dataclass(frozen=True)
class SuiteStarts:
    """An opening of a suite, drawn uniformly, with its moves as history."""

    openings: Any = None
    """Suite, file, lists of moves, or name of a suite of the package; None: the default."""

    def begin(self, game: Game, rng: np.random.Generator) -> Begun:
        """See :class:`StartSource`."""
        suite = self._suite(game)
        index = int(rng.integers(len(suite)))
        seed = int(rng.integers(2**63))
        states = suite.states(index, seed, game)
        moves = [action_of(s, move) for s, move in zip(states, suite.lines[index], strict=False)]
        return Begun(start_text(game, states[0]), tuple(states), tuple(moves))

    def _suite(self, game: Game) -> OpeningSuite:
        known: OpeningSuite | None = self.__dict__.get("known")
        if known is None:
            known = as_suite(self.openings, game.name)
            self.__dict__["known"] = known  # files are read once
        return known


@dataclass(frozen=True)
class RandomPlies:
    """The usual start, and then random legal actions."""

    low: int
    """Smallest number of plies (0 or more)."""
    high: int
    """Largest number of plies."""

    def __post_init__(self) -> None:
        _check_range("random plies", self.low, self.high)

    def begin(self, game: Game, rng: np.random.Generator) -> Begun:
        """See :class:`StartSource`."""
        for _ in range(_TRIES):
            start, states, _ = UsualStart().begin(game, rng)
            actions: list[Any] = []
            for _ in range(int(rng.integers(self.low, self.high + 1))):
                actions.append(_random_action(states[-1], rng))
                states = (*states, played(states[-1], actions[-1]))
                if states[-1].is_terminal:
                    break
            if not states[-1].is_terminal:
                return Begun(start, states, tuple(actions))
        message = (
            f"random:{self.low}-{self.high}: of {_TRIES} games of {game.name!r} every one ended "
            "within its random plies; give fewer"
        )
        raise InvalidConfig(message)


@dataclass(frozen=True)
class GivenStarts:
    """One of several starts, drawn uniformly."""

    starts: Sequence[Any]
    """States, or texts as stores have them: FENs, columns, ``seed:N``."""

    def __post_init__(self) -> None:
        if isinstance(self.starts, str) or not len(self.starts):
            message = f"starts={self.starts!r}: expected a list of states or texts, one at least"
            raise InvalidConfig(message)

    def check(self, game: Game) -> None:
        """Check all of them."""
        for index in range(len(self.starts)):
            self._begun(game, index)

    def begin(self, game: Game, rng: np.random.Generator) -> Begun:
        """See :class:`StartSource`."""
        return self._begun(game, int(rng.integers(len(self.starts))))

    def _begun(self, game: Game, index: int) -> Begun:
        given: Any = self.starts[index]
        is_text = isinstance(given, str)
        state = start_state(game, given) if is_text else given
        known: Any = game.state_type
        if not isinstance(state, known):
            message = f"start {index}: {type_name(state)} is no state of {game.name!r}"
            raise CorruptRecord(message)
        if state.is_terminal:
            where = f"start {index}, {str(given)[:100]!r}"
            raise over_there(where)
        return Begun(given if is_text else start_text(game, state), (state,))


@dataclass(frozen=True)
class StoredPositions:
    """A position of a stored game: the game and its ply are each drawn uniformly.

    Games of chess may be stored beyond their end by the rules. What is drawn there is drawn again.
    """

    store: GameStore | str | Path
    """Store, or its path."""
    low: int = 0
    """First ply that is drawn."""
    high: int | None = None
    """Last ply that is drawn; None: the last of the game."""

    def __post_init__(self) -> None:
        _check_range("plies", self.low, self.low if self.high is None else self.high)

    def check(self, game: Game) -> None:
        """Open the store."""
        store = self._store()
        if store.game.name != game.name:
            message = f"{store!r}: its positions are no starts of {game.name!r}"
            raise InvalidConfig(message)
        if not len(self._plies(store)[0]):
            message = f"{store!r}: no game of it gets to ply {self.low}; give a lower one"
            raise InvalidConfig(message)

    def begin(self, game: Game, rng: np.random.Generator) -> Begun:
        """See :class:`StartSource`."""
        store = self._store()
        able, most = self._plies(store)
        for _ in range(_TRIES):
            row = int(able[rng.integers(len(able))])
            begun = _followed(game, store, row, int(rng.integers(self.low, most[row] + 1)))
            if begun is not None:
                return begun
        message = (
            f"{store!r}: {_TRIES} games were drawn, and each was over by the rules at its ply; "
            "give lower plies"
        )
        raise InvalidState(message)

    def _plies(self, store: GameStore) -> tuple[Any, Any]:
        """Return the games that reach the first ply, and the last ply of every game."""
        lengths = np.diff(store.offsets)
        most = lengths - 1 if self.high is None else np.minimum(lengths - 1, self.high)
        return np.flatnonzero(most >= self.low), most

    def _store(self) -> GameStore:
        if isinstance(self.store, GameStore):
            return self.store
        known: GameStore | None = self.__dict__.get("known")
        if known is None:
            known = self.__dict__["known"] = GameStore.open(self.store)
        return known


@dataclass(frozen=True)
class MixedStarts:
    """One of several sources, drawn by their shares."""

    sources: Sequence[tuple[float, StartSource]]
    """Shares, which are numbers above 0, and sources."""

    def __post_init__(self) -> None:
        if not self.sources:
            message = "starts=(): expected one at least"
            raise InvalidConfig(message)
        for share, source in self.sources:
            checked_share(source, share)

    def check(self, game: Game) -> None:
        """Check every source that can be checked."""
        for _, source in self.sources:
            check_source(source, game)

    def begin(self, game: Game, rng: np.random.Generator) -> Begun:
        """See :class:`StartSource`."""
        shares = np.array([share for share, _ in self.sources])
        chosen = int(np.searchsorted(np.cumsum(shares) / shares.sum(), rng.random(), "right"))
        return self.sources[min(chosen, len(shares) - 1)][1].begin(game, rng)


def checked_share(start: Any, share: Any) -> float:
    """Return the share of a start as a number."""
    numbers = (int, float, np.integer, np.floating)
    if isinstance(share, bool) or not isinstance(share, numbers) or not 0 < share < np.inf:
        message = f"share of start {start!r} is {share!r}: expected a number above 0"
        raise InvalidConfig(message)
    return float(share)


def check_source(source: StartSource, game: Game) -> None:
    """Refuse a source that cannot give a start, as far as it can be checked."""
    check = getattr(source, "check", None)
    if check is not None:
        check(game)


def _check_range(what: str, low: int, high: int) -> None:
    at_least(f"{what} from", low, 0)
    if at_least(f"{what} to", high, 0) < low:
        message = f"{what} from {low} to {high}: the first number is the smaller one"
        raise InvalidConfig(message)


def _random_action(state: Any, rng: np.random.Generator) -> int:
    if state.to_play == SIMULTANEOUS:
        message = "random plies are for games in which one player moves at a time"
        raise InvalidConfig(message)
    legal = legal_actions_of(state, int(state.to_play))
    return int(legal[rng.integers(len(legal))])


def _followed(game: Game, store: GameStore, row: int, ply: int) -> Begun | None:
    """Return a stored game up to a ply; None if it is over there."""
    start, width = store.starts.get(row, ""), store.columns.width
    states = [start_state(game, start)]
    first = int(store.offsets[row])
    actions: list[Any] = []
    for place in range(first, first + ply):
        if states[-1].is_terminal:
            return None
        joint = store.actions[place * width : (place + 1) * width].tolist()
        actions.append(joint[0] if width == 1 else joint)
        states.append(replay(states[-1], joint))
    return None if states[-1].is_terminal else Begun(start, tuple(states), tuple(actions))


def over_there(where: str) -> InvalidState:
    """Return the error of a start at which the game is over."""
    return InvalidState(f"{where}: the game is over there, so that nothing can be played")
