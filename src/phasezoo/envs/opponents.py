"""Who moves for the seats that are not the learner's: names, callables and agents."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from phasezoo._core import Stream
from phasezoo.envs.referee import Moment, Referee
from phasezoo.errors import IllegalAction, InvalidConfig

__all__ = ["Opponent", "choose", "opponents_of", "resolve", "seated", "sit_down"]


class Opponent(Protocol):
    """One seat in one game."""

    def act(self, referee: Referee, moment: Moment, player: int) -> int:
        """The action of ``player``."""


class _Random:
    """Any legal action with the same probability, from the game's stream for that seat."""

    def __init__(self, seed: int, player: int) -> None:
        self._stream = Stream(seed, "opponent", player)

    def act(self, referee: Referee, moment: Moment, player: int) -> int:
        actions = referee.legal_actions(moment, player)
        return int(actions[self._stream.below(len(actions))])


class _Session:
    """An agent's session, which sees states."""

    def __init__(self, agent: Any, seed: int, player: int) -> None:
        self._session = agent.session(Stream(seed, "session", player).seed())

    def act(self, referee: Referee, moment: Moment, player: int) -> int:
        return int(self._session.act(moment.state, player))


class _Callable:
    """A function of observation and info."""

    def __init__(self, function: Callable[[Any, dict[str, Any]], Any]) -> None:
        self._function = function

    def act(self, referee: Referee, moment: Moment, player: int) -> int:
        mask = referee.mask(moment, player, when_over=1)
        info = referee.info(moment, player, mask=mask)
        return int(self._function(referee.observation(moment, player), info))


def resolve(given: Any) -> Any:
    """What was given as an opponent: ``"random"``, an agent, or a callable.

    Raises:
        InvalidConfig: It is none of these.
        UnknownGame: No agent has that name.
    """
    if isinstance(given, str):
        if given == "random":
            return given
        # By name, because environments lie below agents and must not import them.
        return import_module("phasezoo.agents").make(given)
    if hasattr(given, "session") or callable(given):
        return given
    message = (
        f"opponent={given!r}: expected None for self-play, a name such as 'random', a callable "
        "(observation, info) -> action, or an agent with session(seed)"
    )
    raise InvalidConfig(message)


def opponents_of(given: Any, num_players: int) -> tuple[Any, ...]:
    """One opponent for each seat but the learner's, in the order of seats.

    Args:
        given: One for all seats, or a list with one for each.
        num_players: How many players the game has.

    Raises:
        InvalidConfig: A list has another length, or holds what is no opponent.
    """
    seats = num_players - 1
    if isinstance(given, Sequence) and not isinstance(given, str):
        if len(given) != seats:
            message = f"opponent= has {len(given)} entries for {seats} seats besides the learner's"
            raise InvalidConfig(message)
        return tuple(resolve(each) for each in given)
    return (resolve(given),) * seats


def seated(kinds: Sequence[Any], seat: int, seed: int) -> dict[int, Opponent]:
    """The opponents in the seats of one game, the learner's seat left free."""
    free = [player for player in range(len(kinds) + 1) if player != seat]
    return {player: sit_down(kind, player, seed) for player, kind in zip(free, kinds, strict=True)}


def sit_down(kind: Any, player: int, seed: int) -> Opponent:
    """An opponent, as :func:`resolve` gives it, in a seat of the game with seed ``seed``."""
    if isinstance(kind, str):
        return _Random(seed, player)
    return _Session(kind, seed, player) if hasattr(kind, "session") else _Callable(kind)


def choose(opponent: Opponent, referee: Referee, moment: Moment, player: int) -> int:
    """An opponent's action, checked.

    Raises:
        IllegalAction: It is not legal. An opponent's mistake raises; it never scores.
    """
    action = opponent.act(referee, moment, player)
    if not referee.is_legal(moment, player, action):
        legal = np.array2string(referee.legal_actions(moment, player), threshold=10, edgeitems=3)
        message = (
            f"the opponent in seat {player} answered action {action}, which is not legal at ply "
            f"{moment.ply}; legal are {legal}"
        )
        raise IllegalAction(message)
    return action
