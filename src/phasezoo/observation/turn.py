"""A running game at one turn."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from phasezoo.types import Actions, Gate, Info


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
class Turn:
    """A state of a game that is being played, with what the state itself does not know; a value.

    Who acts and what is legal is asked of the state once and kept here.
    """

    state: Any
    ply: int
    """Plies since the game's start."""
    phases: tuple[int, ...]
    """The phase that each player observes."""
    gates: tuple[Gate | None, ...]
    """The gate that says each player's phase; None for phase 0 throughout."""
    ending: Ending | None = None
    """How the game ended; None while it goes on."""
    mover: int | None = None
    """Who has moved last; None before any move, and if players move at once."""
    moves: tuple[Info, ...] = ()
    """Infos about the last move, by player; empty in games without such infos."""
    acting: tuple[int, ...] | None = field(default=None, repr=False)
    """Players who move in the state, ascending; None until they are asked for."""
    legal: dict[int, Actions] = field(default_factory=dict, repr=False)
    """Legal actions by player, of those that were asked for."""
