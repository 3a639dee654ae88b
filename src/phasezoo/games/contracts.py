"""Checks of the contract of a user's own game while it is played."""

import contextlib
import copy
from collections.abc import Iterator
from typing import Any

from phasezoo.errors import GameContract
from phasezoo.games.queries import acting_players, is_over, legal_actions_of, to_play_of, where
from phasezoo.types import SIMULTANEOUS

_SLACK = 1e-6
"""How far a return may lie outside [-1, 1], for rounding."""

_SUM_SLACK = 1e-4
"""How far the sum of two players' returns may lie from 0, as in the core."""


def checked_players(state: Any, num_players: int) -> tuple[int, ...]:
    """The players who move now, as :func:`~phasezoo.games.queries.acting_players` gives them."""
    acting = acting_players(state)
    if state.is_terminal or (acting and all(0 <= player < num_players for player in acting)):
        return acting
    at_once = state.to_play == SIMULTANEOUS
    given = f"acting is {acting}" if at_once else f"to_play is {state.to_play}"
    message = (
        f"{where(state)}: {given}, expected players from 0 to {num_players - 1}"
        + ("" if at_once else f", or {SIMULTANEOUS} where several move at once")
        + f", in {state!r}"
    )
    raise GameContract(message)


def checked_returns(state: Any, num_players: int) -> tuple[float, ...]:
    """Return each player's return at the end of a game."""
    given = state.returns
    try:
        returns = tuple(float(value) for value in given)
    except (TypeError, ValueError):
        returns = ()
    if len(returns) == num_players and all(abs(value) <= 1 + _SLACK for value in returns):
        in_turn = num_players == 2 and state.to_play != SIMULTANEOUS
        if in_turn and abs(sum(returns)) > _SUM_SLACK:
            message = (
                f"{where(state)}: returns is {given!r} at the end; what two players who move in "
                "turn get has to add up to 0 (1 and -1, or 0 and 0 for a draw), because a search "
                f"takes the one for the other's opposite, in {state!r}"
            )
            raise GameContract(message)
        return returns
    message = (
        f"{where(state)}: returns is {given!r} at the end, expected {num_players} numbers in "
        f"[-1, 1], one a player, in {state!r}"
    )
    raise GameContract(message)


def played(state: Any, action: Any) -> Any:
    """The state that ``action``, or one for each player who moves, leads to."""
    after = state.play(action)
    if is_state(after):
        return after
    message = (
        f"{where(state)}: play({action!r}) has returned {after!r}, expected the new state, in "
        f"{state!r}"
    )
    raise GameContract(message)


def is_state(given: Any) -> bool:
    """Whether something could be a state: whether it says if the game is over."""
    return hasattr(type(given), "is_terminal") or hasattr(given, "is_terminal")


@contextlib.contextmanager
def unchanged(state: Any) -> Iterator[None]:
    """Watch over ``state`` while ``state.play`` is called."""
    before, shown = _face(state), repr(state)
    yield
    if _differs(before, _face(state)):
        message = (
            f"{type(state).__name__}.play(action) has changed the state it was called on, {shown}: "
            "play must return a new state and leave this one as it is, for example by changing a "
            "copy"
        )
        raise GameContract(message)


def check_state(state: Any, num_players: int) -> None:
    """Look at the turn of a state that a search begins at, and play from it once."""
    acting = checked_players(state, num_players)
    if is_over(state) or state.to_play == SIMULTANEOUS:
        return
    legal = legal_actions_of(state, acting[0])
    if len(legal):
        with unchanged(state):
            played(state, int(legal[0]))


def _face(state: Any) -> tuple[Any, ...]:
    """Return what distinguishes states: the turn, the legal actions, and what ``==`` compares."""
    turn = to_play_of(state), bool(state.is_terminal)
    legal = [legal_actions_of(state, player).tolist() for player in acting_players(state)]
    return (*turn, legal, _copied(state))


def _copied(state: Any) -> Any:
    """A copy to compare with; None of states that cannot be compared, or copied."""
    own: Any = type(state).__eq__
    if own is object.__eq__:
        return None
    try:
        return copy.deepcopy(state)
    except Exception:  # a user's own code: what it cannot copy is compared by its legal actions
        return None


def _differs(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    if before[:-1] != now[:-1]:
        return True
    if before[-1] is None or now[-1] is None:
        return False
    try:
        return not bool(before[-1] == now[-1])
    except Exception:  # arrays in a dataclass, say, have no truth: nothing is known
        return False
