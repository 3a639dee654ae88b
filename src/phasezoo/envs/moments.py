"""What an environment knows of a game at one moment."""

from typing import Any, NamedTuple

from phasezoo.types import Info

__all__ = ["Ending", "Moment"]


class Ending(NamedTuple):
    """How a game ended."""

    rewards: tuple[float, ...]
    """One per player."""
    terminated: bool
    """Whether the rules, or an illegal action, ended it; otherwise a length limit did."""
    result: str | None
    """``"1-0"``, ``"0-1"``, ``"1/2-1/2"``; ``"win"`` or ``"tie"`` in games not of two players."""
    reason: str | None
    """Why it ended, such as ``"checkmate"``."""
    winners: tuple[int, ...] | None = None
    """Who won, in games not of two players."""


class Moment(NamedTuple):
    """A state of a game in an environment; a value."""

    state: Any
    ply: int
    """Plies since the game's start."""
    phases: tuple[int, ...]
    """The phase as each player sees it."""
    ending: Ending | None = None
    """How the game ended; None while it goes on."""
    mover: int | None = None
    """Who has moved last; None before any move, and if players move at once."""
    told: tuple[Info, ...] = ()
    """By player, what is told of their last move; empty in games that tell nothing of moves."""
