"""Opening suites: what the games of a match start with."""

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.arena.opening_files import Opening, parse_openings, text_of
from phasezoo.arena.streams import stream
from phasezoo.checking import shown
from phasezoo.errors import InvalidConfig, InvalidUci, PhasezooError, about
from phasezoo.games import contracts, queries
from phasezoo.games.options import at_least
from phasezoo.games.random_play import random_action
from phasezoo.specs import did_you_mean
from phasezoo.types import SIMULTANEOUS

SUITE = "openings.txt"
"""Ends the names of the package's files of openings."""


@dataclass(frozen=True)
class OpeningSuite:
    """Starts of games: moves, so that history planes are full, or positions.

    ``OpeningSuite.load("chess")`` reads the package's own, ``OpeningSuite.read(path)`` yours,
    ``OpeningSuite.random("chess", 4)`` draws random moves, and ``OpeningSuite.at_phase(games, …)``
    takes the places at which games reach a phase.
    """

    game: str
    """The game's name."""
    lines: tuple[tuple[str, ...], ...]
    """One tuple per opening: moves in UCI notation, or action numbers in games that have none. An
    empty one is where the opening starts."""
    starts: tuple[str | None, ...] = ()
    """Where each opening starts: a FEN, or None for the initial position; empty if all do there."""

    def __post_init__(self) -> None:
        if not self.lines:
            message = f"an opening suite for {self.game} without a line: give at least one"
            raise InvalidConfig(message)
        if self.starts and len(self.starts) != len(self.lines):
            message = f"{len(self.starts)} starts for {len(self.lines)} openings: give one for each"
            raise InvalidConfig(message)
        if not any(self.starts):
            object.__setattr__(self, "starts", ())

    def __len__(self) -> int:
        return len(self.lines)

    @classmethod
    def of(cls, game: str, openings: Iterable[Opening]) -> "OpeningSuite":
        """Return a suite of openings as they are."""
        found = list(openings)
        return cls(game, tuple(each.moves for each in found), tuple(each.start for each in found))

    @classmethod
    def load(cls, game: str, name: str | None = None) -> "OpeningSuite":
        """Return a suite in the package.

        Args:
            game: The game's name.
            name: One of :meth:`names`; default the one that the game says
                (``Game.match_openings``), or the one without a name, or the initial position
                alone.

        Raises:
            UnknownGame: No game has that name.
            InvalidConfig: The game has no suite of that name.
        """
        handle = games.make(game)
        name = handle.match_openings if name is None else name
        suffix = f"_{SUITE}" if name is None else f"_{name}_{SUITE}"
        packaged = _data() / f"{handle.name}{suffix}"
        if name is not None and name not in (names := cls.names(game)):
            known = ", ".join(map(repr, names))
            has = f"It has {known} and a usual one" if known else "It has the usual one alone"
            message = (
                f"openings {name[:80]!r}: neither a file nor a suite of {handle.name!r}"
                f"{did_you_mean(name, names)} {has}, which is taken if openings are left out; "
                "'random:4' or 'random:2-8' are so many random moves"
            )
            raise InvalidConfig(message)
        if not packaged.is_file():
            return cls(handle.name, ((),))
        return cls.of(handle.name, parse_openings(packaged.read_text(encoding="utf-8"), handle))

    @classmethod
    def names(cls, game: str) -> tuple[str, ...]:
        """Return the names of the package's suites for ``game`` besides the usual one, sorted.

        Raises:
            UnknownGame: No game has that name.
        """
        begin, end = f"{games.make(game).name}_", f"_{SUITE}"
        found = (each.name for each in _data().iterdir())
        cut = (each.removeprefix(begin) for each in found if each.startswith(begin))
        return tuple(sorted(each.removesuffix(end) for each in cut if each.endswith(end)))

    @classmethod
    def read(
        cls, path: Path | str, game: str = "chess", *, plies: int | None = None
    ) -> "OpeningSuite":
        """Return a suite from a text file: PGN, or a list of moves, a FEN or an EPD a line.

        What exactly is read is on the page ``docs/definitions/matches.md``.

        Args:
            path: The file.
            game: Whose openings they are.
            plies: How many moves of each are taken, such as of whole games in PGN; default all.

        Raises:
            InvalidConfig: The file cannot be read or has no opening, one of them is over, or it is
                of another variant.
            InvalidFen: A position cannot be read; the message names the line.
            InvalidPgn: The file is PGN, and the game has no such notation.
            InvalidUci: A line's moves are not legal; the message names the opening.
        """
        if plies is not None:
            at_least("plies", plies, 0)
        text = text_of(path, "an opening suite")
        handle = games.make(game)
        with about(path, PhasezooError):
            return cls.of(handle.name, parse_openings(text, handle, plies)).checked()

    @classmethod
    def random(
        cls, game: str, low: int, high: int | None = None, *, count: int = 100, seed: int = 0
    ) -> "OpeningSuite":
        """Return openings of random legal moves from the initial position.

        Args:
            game: The game's name.
            low: Smallest number of moves.
            high: Largest number of moves; default ``low``.
            count: Number of openings at most. Their last positions differ, so that there are fewer
                if so few moves lead to fewer positions.
            seed: Draws them.

        Raises:
            InvalidConfig: A number is out of range, players move at once, the game's starts are
                drawn, or every game is over within so many moves.
            UnknownGame: No game has that name.
        """
        at_least("random openings from", low, 0)
        high = low if high is None else high
        if at_least("random openings to", high, 0) < low:
            message = f"random openings of {low} to {high} moves: give the smaller number first"
            raise InvalidConfig(message)
        at_least("count", count, 1)
        handle = games.make(game)
        if draws_starts(game) or handle.initial_state().to_play == SIMULTANEOUS:
            message = (
                f"random openings of {handle.name!r}: they are for games that always start alike "
                "and in which one player moves at a time; leave openings out"
            )
            raise InvalidConfig(message)
        found = random_openings(handle, low, high, count, np.random.default_rng(seed))
        if not found:
            message = (
                f"random openings of {low} to {high} moves: every game of {handle.name!r} that was "
                "tried was over by then; give fewer"
            )
            raise InvalidConfig(message)
        return cls.of(handle.name, found)

    @classmethod
    def at_phase(
        cls,
        played: Any,
        gate: Any,
        phase: str | int,
        *,
        game: str = "chess",
        count: int | None = None,
    ) -> "OpeningSuite":
        """Return the places at which games first reach a phase, with the moves that led to them.

        Args:
            played: A match or its records, a games store, or a file of games in PGN.
            gate: Says the phases.
            phase: The phase's name or number.
            game: What is played, if ``played`` does not say so.
            count: How many openings are taken at most; default all. Equal positions count once.

        Raises:
            InvalidConfig: There is no such phase, or no game gets there and goes on.
            InvalidGate: The gate does not fit the game.
        """
        from phasezoo.arena.opening_phases import first_at

        handle = games.make(getattr(played, "game", game))
        return cls.of(handle.name, first_at(played, handle, gate, phase, count))

    def states(
        self, index: int, seed: int | None = None, game: games.Game | None = None
    ) -> list[Any]:
        """Return every state of opening ``index``: the initial one, and one after each move.

        Args:
            index: Which opening.
            seed: Draws the initial state in games with random ones.
            game: The suite's game with the options that say what it starts from.

        Raises:
            InvalidUci: A move is not legal where it stands; the message names the line.
        """
        handle = games.make(game or self.game)
        with about(self._named(index), InvalidUci):
            states = Opening(self.start(index), self.lines[index]).states(handle, seed)
        if queries.is_over(states[-1]):
            message = f"{self._named(index)}: the game is over there"
            raise InvalidConfig(message)
        return states

    def checked(self) -> Self:
        """Return the suite, if every opening can be played and is not over.

        Raises:
            InvalidConfig: One is over.
            InvalidFen: One starts from an invalid position.
            InvalidUci: A move is not legal.
        """
        for index in range(len(self)):
            self.states(index)
        return self

    def start(self, index: int) -> str | None:
        """Return where opening ``index`` starts: a FEN, or None for the initial position."""
        return self.starts[index] if self.starts else None

    def _named(self, index: int) -> str:
        words = (self.start(index) or "", *self.lines[index])
        return f"opening {index + 1} ({' '.join(filter(None, words))})"

    def digest(self) -> str:
        """Return a short hash of the game and the lines."""
        text = "\n".join((self.game, *(" ".join(line) for line in self.lines)))
        if self.starts:
            text += "\n" + "\n".join(start or "" for start in self.starts)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def state(self, index: int) -> Any:
        """Return the last state of opening ``index``; see :meth:`states`."""
        return self.states(index)[-1]

    def without(self, keys: npt.NDArray[np.uint64] | Collection[int]) -> tuple["OpeningSuite", int]:
        """Return the openings whose last position is not among ``keys``, and how many were dropped.

        A match on networks that were trained on games leaves out what these games contain.

        Args:
            keys: Position keys, such as ``store.positions(gate).key``.

        Raises:
            InvalidConfig: No opening is left.
        """
        own = np.array([self.state(index).key for index in range(len(self))], dtype=np.uint64)
        seen = np.asarray(keys if isinstance(keys, np.ndarray) else list(keys), dtype=np.uint64)
        kept = np.flatnonzero(~np.isin(own, seen)).tolist()
        if not kept:
            message = f"the last positions of all {len(self)} openings occur in the given games"
            raise InvalidConfig(message)
        left = (Opening(self.start(i), self.lines[i]) for i in kept)
        return OpeningSuite.of(self.game, left), len(self) - len(kept)

    def drawn(self, number: int, seed: int) -> int:
        """Return the opening that ``seed`` draws at ``number``; all are used before one repeats."""
        cycle, place = divmod(number, len(self))
        return _shuffled(len(self), stream(seed, "openings", cycle))[place]


_PROBED = 8
"""Seeds whose starts are compared in a game of one's own."""

_TRIES = 20
"""Random openings that are tried for each that is wanted."""


def draws_starts(game: str) -> bool:
    """Return whether the starts of a game differ from seed to seed."""
    made = games.make(game)
    if made.native:
        return made.takes_seed and made.draws_start(made.options)
    # A user's own game does not say so.
    starts = [made.initial_state(seed=seed) for seed in range(_PROBED)]
    return len({getattr(start, "key", None) for start in starts}) > 1


def random_openings(
    game: games.Game, low: int, high: int, wanted: int, rng: np.random.Generator
) -> list[Opening]:
    """Return openings of random moves with different last positions, none of which is over."""
    found: dict[Any, Opening] = {}
    for _ in range(_TRIES * wanted):
        state: Any = game.initial_state()
        moves = []
        for _ in range(int(rng.integers(low, high + 1))):
            action = random_action(state, rng)
            moves.append(queries.move_text(state, action))
            state = contracts.played(state, action)
            if state.is_terminal:
                break
        else:
            line = tuple(moves)
            found.setdefault(getattr(state, "key", line), Opening(None, line))
        if len(found) == wanted:
            break
    return list(found.values())


def _data() -> Traversable:
    return resources.files("phasezoo") / "data" / "samples"


@lru_cache(maxsize=8)
def _shuffled(count: int, seed: int) -> tuple[int, ...]:
    return tuple(np.random.default_rng(seed).permutation(count).tolist())


_RANDOM = re.compile(r"random:(?P<low>\d{1,4})(-(?P<high>\d{1,4}))?")


def as_suite(
    openings: OpeningSuite | Sequence[Sequence[str]] | Path | str | None, game: str
) -> OpeningSuite:
    """Return the openings that a match was given, as a suite."""
    if openings is None:
        return OpeningSuite.load(game)
    if isinstance(openings, (str, Path)):
        name = str(openings)
        if drawn := _RANDOM.fullmatch(name):
            low, high = int(drawn["low"]), drawn["high"]
            return OpeningSuite.random(game, low, None if high is None else int(high))
        # A name has neither a folder nor an end; load() refuses those that the game does not have.
        may_be_name = Path(name).name == name and not Path(name).suffix
        is_name = may_be_name and not os.path.exists(name)  # noqa: PTH110 - Path's raises if long
        return OpeningSuite.load(game, name) if is_name else OpeningSuite.read(openings, game)
    if isinstance(openings, OpeningSuite):
        if openings.game != game:
            message = f"the openings are for {openings.game!r}, the match is of {game!r}"
            raise InvalidConfig(message)
        return openings
    lines = list(openings) if isinstance(openings, Iterable) else [None]
    if lines and all(isinstance(line, str) for line in lines):
        text = "\n".join(map(str, lines))
        return OpeningSuite.of(game, parse_openings(text, games.make(game))).checked()
    if not all(map(_is_moves, lines)):
        message = (
            f"openings={shown(openings)}: expected a suite or its name, a file, or a list of "
            "lines, each of which is a text or a list of moves as texts"
        )
        raise InvalidConfig(message)
    return OpeningSuite(game, tuple(tuple(line) for line in lines)).checked()


def _is_moves(line: Any) -> bool:
    return (
        isinstance(line, Iterable)
        and not isinstance(line, str)
        and all(isinstance(move, str) for move in line)
    )
