"""Who moves for the seats that are not the learner's: names, callables and agents."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from phasezoo._core import PommermanAgent, Stream
from phasezoo.envs.moments import Moment
from phasezoo.envs.referee import Referee
from phasezoo.errors import IllegalAction, InvalidConfig
from phasezoo.games import Game

__all__ = ["NATIVE", "Opponent", "choose", "opponents_of", "resolve", "seated", "sit_down"]


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


class _Tablebase(_Random):
    """Any action of perfect play with the same probability, from the same stream."""

    def act(self, referee: Referee, moment: Moment, player: int) -> int:
        actions = referee.game.best_actions(moment.state)
        return int(actions[self._stream.below(len(actions))])


NATIVE = {"random": _Random, "tablebase": _Tablebase}
"""Opponents by name that the native core can play too."""


class _Expert:
    """A player that the core brings along for the game, from the same stream."""

    def __init__(self, name: str, seed: int, player: int) -> None:
        self._agent = PommermanAgent(name, seed, player)

    def act(self, referee: Referee, moment: Moment, player: int) -> int:
        return self._agent.act(moment.state, player)


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
        answer = self._function(referee.observation(moment, player), info)
        return int(answer) if referee.game.action_parts is None else referee.index(answer)


def resolve(given: Any, game: Game) -> Any:
    """What was given as an opponent: a name that the core plays, an agent, or a callable.

    Raises:
        InvalidConfig: It is none of these, or needs a table that the game does not have.
        UnknownGame: No agent has that name.
    """
    if isinstance(given, str):
        if given == "tablebase" and not game.has_table:
            message = (
                f"opponent='tablebase': no table of perfect play is known for {game.name!r}, 'krk' "
                "has one; take 'random', another agent, or a callable"
            )
            raise InvalidConfig(message)
        if given in NATIVE or given in game.experts:
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


def opponents_of(given: Any, game: Game) -> tuple[Any, ...]:
    """One opponent for each seat but the learner's, in the order of seats.

    Args:
        given: One for all seats, or a list with one for each.
        game: What is played.

    Raises:
        InvalidConfig: A list has another length, or holds what is no opponent.
    """
    seats = game.num_players - 1
    if isinstance(given, Sequence) and not isinstance(given, str):
        if len(given) != seats:
            message = f"opponent= has {len(given)} entries for {seats} seats besides the learner's"
            raise InvalidConfig(message)
        return tuple(resolve(each, game) for each in given)
    return (resolve(given, game),) * seats


def seated(kinds: Sequence[Any], seat: int, seed: int) -> dict[int, Opponent]:
    """The opponents in the seats of one game, the learner's seat left free."""
    free = [player for player in range(len(kinds) + 1) if player != seat]
    return {player: sit_down(kind, player, seed) for player, kind in zip(free, kinds, strict=True)}


def sit_down(kind: Any, player: int, seed: int) -> Opponent:
    """An opponent, as :func:`resolve` gives it, in a seat of the game with seed ``seed``."""
    if isinstance(kind, str):
        return NATIVE[kind](seed, player) if kind in NATIVE else _Expert(kind, seed, player)
    return _Session(kind, seed, player) if hasattr(kind, "session") else _Callable(kind)


def choose(opponent: Opponent, referee: Referee, moment: Moment, player: int) -> int:
    """An opponent's action, checked; one whose answer does not matter is not asked.

    Raises:
        IllegalAction: It is not legal. An opponent's mistake raises; it never scores.
    """
    if referee.is_idle(moment, player):
        return int(referee.legal_actions(moment, player)[0])
    action = opponent.act(referee, moment, player)
    if not referee.is_legal(moment, player, action):
        legal = np.array2string(referee.legal_actions(moment, player), threshold=10, edgeitems=3)
        message = (
            f"the opponent in seat {player} answered action {action}, which is not legal at ply "
            f"{moment.ply}; legal are {legal}"
        )
        raise IllegalAction(message)
    return action
