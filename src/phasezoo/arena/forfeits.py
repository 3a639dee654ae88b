"""Says in which game an exception was raised, and whether by a player or by the game itself."""

import textwrap
from typing import Any, NamedTuple

from phasezoo.errors import GameContract
from phasezoo.games import Game
from phasezoo.games.failures import failure_of

_LONGEST = 300
"""Characters of a state that are shown."""


class Place(NamedTuple):
    """A game among others, and how far it has come."""

    number: int
    """Which one."""
    moves: tuple[str, ...]
    """Moves so far, those of the opening included."""

    def __str__(self) -> str:
        after = f", after {' '.join(self.moves)}" if self.moves else ""
        return f"game {self.number} at ply {len(self.moves)}{after}"


def is_the_games(error: BaseException, game: Game) -> bool:
    """Whether the code of a game of one's own raised ``error``, or broke its contract."""
    return isinstance(error, GameContract) or failure_of(error, game) is not None


def blame(
    error: BaseException, game: Game, place: Place | None, *, asked_by: str | None = None
) -> str:
    """Return the note for an error of the game's own code.

    Args:
        error: It.
        game: What was played.
        place: In which of the games; None: that is not known.
        asked_by: Who wanted to know something of the game; None: who plays its moves.
    """
    failure = failure_of(error, game)
    what = "" if failure is None else f"{failure.member} of "
    state = "" if failure is None else f" in the state {_shown(failure.state)}"
    asked = "" if asked_by is None else f", which {asked_by} asked for"
    where = "" if place is None else f", in {place}"
    return f"raised by {what}the game {game.name!r}{state}{asked}{where}"


def _shown(state: Any) -> str:
    """A state in one line, cut if it is long."""
    try:
        return textwrap.shorten(repr(state), _LONGEST, placeholder=" …")
    except Exception:  # the user's own code, which has failed already
        return f"of type {type(state).__name__}"
