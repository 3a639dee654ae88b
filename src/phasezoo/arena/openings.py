"""Opening suites: what the games of a match start with."""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.arena.streams import stream
from phasezoo.errors import InvalidConfig, InvalidUci, PhasezooError

__all__ = ["OpeningSuite", "action_of", "as_suite"]


@dataclass(frozen=True)
class OpeningSuite:
    """Move lists from the initial position, so that history planes are full.

    ``OpeningSuite.load("chess")`` reads the package's own, ``OpeningSuite.read(path)`` yours.
    """

    game: str
    """The game's name."""
    lines: tuple[tuple[str, ...], ...]
    """One tuple per opening: moves in UCI notation, or action numbers in games that have none. An
    empty one is the initial position."""

    def __post_init__(self) -> None:
        if not self.lines:
            message = f"an opening suite for {self.game} without a line: give at least one"
            raise InvalidConfig(message)

    def __len__(self) -> int:
        return len(self.lines)

    @classmethod
    def load(cls, game: str) -> "OpeningSuite":
        """The suite in the package; the initial position alone if it has none for ``game``.

        Raises:
            UnknownGame: No game has that name.
        """
        name = games.make(game).name
        packaged = resources.files("phasezoo") / "data" / f"{name}_openings.txt"
        if not packaged.is_file():
            return cls(name, ((),))
        return cls(name, tuple(_lines(packaged.read_text(encoding="utf-8"))))

    @classmethod
    def read(cls, path: Path | str, game: str = "chess") -> "OpeningSuite":
        """A suite from a text file: a line of moves in UCI notation per opening, ``#`` comments.

        Raises:
            InvalidConfig: The file cannot be read or has no opening.
            InvalidUci: A line's moves are not legal; the message names the line.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            message = f"{path}: cannot be read as an opening suite ({error})"
            raise InvalidConfig(message) from error
        suite = cls(games.make(game).name, tuple(_lines(text)))
        for number in range(len(suite)):
            suite.state(number)
        return suite

    def states(
        self, index: int, seed: int | None = None, game: games.Game | None = None
    ) -> list[Any]:
        """Every state of opening ``index``: the initial one, and one after each of its moves.

        Args:
            index: Which opening.
            seed: Draws the initial state in games with random ones.
            game: The suite's game with the options that say what it starts from.

        Raises:
            InvalidUci: A move is not legal where it stands; the message names the line.
        """
        states = [games.make(game or self.game).initial_state(seed)]
        for move in self.lines[index]:
            try:
                states.append(states[-1].play(action_of(states[-1], move)))
            except PhasezooError as error:
                message = f"opening {index + 1} ({' '.join(self.lines[index])}): {error}"
                raise InvalidUci(message) from error
        if states[-1].is_terminal:
            message = f"opening {index + 1} ({' '.join(self.lines[index])}): the game is over there"
            raise InvalidConfig(message)
        return states

    def digest(self) -> str:
        """A short hash of the game and the lines."""
        text = "\n".join((self.game, *(" ".join(line) for line in self.lines)))
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def state(self, index: int) -> Any:
        """The last state of opening ``index``; see :meth:`states`."""
        return self.states(index)[-1]

    def without(self, keys: npt.NDArray[np.uint64] | Collection[int]) -> tuple["OpeningSuite", int]:
        """The openings whose last position is not among ``keys``, and how many were dropped.

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
        return OpeningSuite(self.game, tuple(self.lines[i] for i in kept)), len(self) - len(kept)

    def drawn(self, number: int, seed: int) -> int:
        """The opening that ``seed`` draws at ``number``: none comes again before all were used."""
        cycle, place = divmod(number, len(self))
        return _shuffled(len(self), stream(seed, "openings", cycle))[place]


@lru_cache(maxsize=8)
def _shuffled(count: int, seed: int) -> tuple[int, ...]:
    return tuple(np.random.default_rng(seed).permutation(count).tolist())


def action_of(state: Any, move: str) -> int:
    """What ``move`` means in ``state``.

    Raises:
        InvalidUci: The move cannot be read, or is not legal.
    """
    if hasattr(state, "parse_uci"):
        return int(state.parse_uci(move))
    legal = games.legal_actions_of(state, state.to_play).tolist()
    if not move.isdecimal() or int(move) not in legal:
        message = f"{move!r} is not a legal action here; legal are {legal}"
        raise InvalidUci(message)
    return int(move)


def _lines(text: str) -> Iterator[tuple[str, ...]]:
    for line in text.splitlines():
        moves = line.partition("#")[0].split()
        if moves:
            yield tuple(moves)


def as_suite(
    openings: OpeningSuite | Sequence[Sequence[str]] | Path | str | None, game: str
) -> OpeningSuite:
    """What a match was given as openings, as a suite.

    Raises:
        InvalidConfig: It is a suite of another game, or cannot be read.
    """
    if openings is None:
        return OpeningSuite.load(game)
    if isinstance(openings, (str, Path)):
        return OpeningSuite.read(openings, game)
    if isinstance(openings, OpeningSuite):
        if openings.game != game:
            message = f"the openings are for {openings.game!r}, the match is of {game!r}"
            raise InvalidConfig(message)
        return openings
    return OpeningSuite(game, tuple(tuple(line) for line in openings))
