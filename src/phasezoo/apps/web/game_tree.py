"""The positions of one game: a tree, one line of which is on the board."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from phasezoo.apps.web.analysis import Analysis
from phasezoo.errors import InvalidState
from phasezoo.observation import Turn


@dataclass
class Played:
    """A ply that was played, or read from a file."""

    action: Any
    """The action, or that of each player where all move at once; None if it is not known."""
    name: str
    analyses: dict[int, Analysis] = field(default_factory=dict)
    """Analyses of searches, by player."""
    after: Analysis | None = None
    """An analysis of the position that it led to, from a file."""


Plies: TypeAlias = Sequence[tuple[Played, Any]]
"""Plies that were played elsewhere, each with the state that it led to."""


@dataclass(eq=False)
class Position:
    """A position of a game, in a tree: later moves of one position are its variations."""

    number: int
    """Its number among the positions of the game, in the order of play."""
    turn: Turn
    parent: "Position | None" = None
    played: Played | None = None
    """The ply that led to it; None at the start."""
    children: list["Position"] = field(default_factory=list)
    review: Analysis | None = None
    """The analysis of this position, once there is one."""

    def line(self) -> list["Position"]:
        """The positions from the start through this one to the end of its first line."""
        found = [self]
        while (parent := found[0].parent) is not None:
            found.insert(0, parent)
        while found[-1].children:
            found.append(found[-1].children[0])
        return found


class GameTree:
    """All positions of a game; those of one line are on the board."""

    def __init__(self, start: Turn) -> None:
        self.line = [Position(0, start)]
        """The line on the board, from the start to where the game stands."""
        self._count = 0

    def __iter__(self) -> Iterator[Position]:
        """Each position before its moves, a variation after the line's move."""
        left = [self.line[0]]
        while left:
            each = left.pop()
            yield each
            left += reversed(each.children)

    @property
    def size(self) -> int:
        """Number of positions."""
        return sum(1 for _ in self)

    @property
    def turns(self) -> list[Turn]:
        """The turns of the line."""
        return [each.turn for each in self.line]

    @property
    def played(self) -> list[Played]:
        """The plies of the line."""
        return [each.played for each in self.line if each.played is not None]

    def append(self, turn: Turn, played: Played) -> None:
        """The line goes on by a ply."""
        self.line.append(self._child(self.line[-1], turn, played))

    def add(self, plies: Iterable[tuple[Turn, Played]]) -> None:
        """Add moves from the start: a variation from where they leave what is there."""
        at = self.line[0]
        for turn, played in plies:
            known = (c for c in at.children if c.played and c.played.action == played.action)
            at = next(known, None) or self._child(at, turn, played)

    def _child(self, parent: Position, turn: Turn, played: Played) -> Position:
        self._count += 1
        parent.children.append(Position(self._count, turn, parent, played, review=played.after))
        return parent.children[-1]

    def moves(self) -> list[tuple[int, int, str]]:
        """Each position's number, that of the one before, and the move; empty if no moves vary."""
        found = [
            (each.number, each.parent.number, each.played.name)
            for each in self
            if each.parent is not None and each.played is not None
        ]
        return found if len(found) >= len(self.line) else []

    def find(self, number: int) -> Position:
        """The position with a number."""
        found = next((each for each in self if each.number == number), None)
        if found is None:
            message = f"position {number}: the game has no such position any more"
            raise InvalidState(message)
        return found
