"""What is known of a game at one moment."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from phasezoo.types import Actions, Gate, Info

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


@dataclass(slots=True, eq=False)
class Moment:
    """A state of a game that is being played, with what the state itself does not know; a value.

    Who acts and what is legal is asked of the state once and kept here.
    """

    state: Any
    ply: int
    """Plies since the game's start."""
    phases: tuple[int, ...]
    """The phase as each player is told it."""
    gates: tuple[Gate | None, ...]
    """The gate that says each player's phase; None for phase 0 throughout."""
    ending: Ending | None = None
    """How the game ended; None while it goes on."""
    mover: int | None = None
    """Who has moved last; None before any move, and if players move at once."""
    moves: tuple[Info, ...] = ()
    """By player, what is told of their last move; empty in games that tell nothing of moves."""
    acting: tuple[int, ...] | None = field(default=None, repr=False)
    """Players who move in the state, ascending; None until they are asked for."""
    legal: dict[int, Actions] = field(default_factory=dict, repr=False)
    """Legal actions by player, of those that were asked for."""
