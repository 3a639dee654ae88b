"""Where the code of a game of one's own has failed, read from an exception's traceback."""

from typing import Any, NamedTuple

from phasezoo.games.base import Game


class Failure(NamedTuple):
    """A member of a state that raised."""

    state: Any
    """The state."""
    member: str
    """Its name, such as ``"play"``."""


def failure_of(error: BaseException, game: Game) -> Failure | None:
    """Return the method of a user's own game that raised ``error``; None if no method did.

    Args:
        error: An exception that was caught.
        game: The game; native games have no code that could be seen in a traceback.
    """
    if game.native:
        return None
    step = error.__traceback__
    while step is not None:
        code, names = step.tb_frame.f_code, step.tb_frame.f_locals
        first = names.get(code.co_varnames[0]) if code.co_argcount else None
        if isinstance(first, game.state_type) and _is_member(first, code.co_name):
            return Failure(first, code.co_name)
        step = step.tb_next
    return None


def describe_failure(error: BaseException, game: Game) -> str | None:
    """Return what a user's own game raised, in a sentence; None if it raised nothing."""
    failure = failure_of(error, game)
    if failure is None:
        return None
    return f"game {game.name!r}: {failure.member} raised {type(error).__name__}: {error}"


def _is_member(state: Any, name: str) -> bool:
    """Whether a function is one of the state's own, and not one that was handed a state."""
    return hasattr(type(state), name)
