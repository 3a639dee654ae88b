"""How a person plays on the picture of a game: what they point at, and which action that means."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Box(NamedTuple):
    """A rectangle of the picture, in fractions of its width and height, from its top left."""

    left: float
    top: float
    width: float
    height: float


class Spot(NamedTuple):
    """A place of the picture that can be pointed at."""

    name: str
    """Its name among the spots of the picture, such as ``"e4"``."""
    label: str
    """Text for a screen reader: ``"e4, white pawn"``."""
    box: Box


class Way(NamedTuple):
    """A way of pointing that means an action; several ways may mean the same one."""

    action: int
    path: tuple[str, ...]
    """The spots to point at, one after the other."""
    choice: str = ""
    """Choice at the end where several actions have the same path, such as ``"queen"``."""
    icon: str = ""
    """The symbol of the SVG document that shows the choice; none if empty."""


class Key(NamedTuple):
    """A key that plays an action at once, and what a button for it says."""

    key: str
    """As browsers call it (``KeyboardEvent.key``)."""
    action: int
    """The action, or the first part of one that has parts."""
    label: str


def no_blast(before: Any, action: Any) -> tuple[str, ...]:
    """Nothing blows up."""
    return ()


@dataclass(frozen=True)
class Pointing:
    """How the pictures of one kind of game are played on."""

    spots: Callable[[Any, int | None, bool], Sequence[Spot]]
    """The spots of a state's picture, seen by a player, or flipped."""
    ways: Callable[[Any, int], Sequence[Way]]
    """The ways of a player who is to move; actions without one are chosen from a list."""
    name: Callable[[Any, int], str]
    """Returns the name of an action, given the state before it."""
    keys: tuple[Key, ...] = ()
    blast: Callable[[Any, Any], tuple[str, ...]] = no_blast
    """The spots that blow up when an action is played, given the state before it."""
    gates: tuple[str, ...] = ()
    """Gates to suggest; those that do not fit a game of this kind are left out."""
    sides: tuple[str, ...] = ()
    """Names of the players; by default they are numbered."""
    letters: str = ""
    """The letters of the players' pieces on boards that are text; empty: they have none."""
    flips: bool = False
    """Whether the board can be turned round."""
    falls: bool = False
    """Whether what is played into a spot falls down in it."""
