"""Opponents of the learner: names, callables and agents."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from phasezoo._core import Stream
from phasezoo.checking import refuse_class
from phasezoo.errors import IllegalAction, InvalidConfig
from phasezoo.games.base import Game
from phasezoo.observation import GameRunner, Turn, View, observe, view_of
from phasezoo.observation.action_parts import index_of
from phasezoo.resolver import agent_named


class Opponent(Protocol):
    """An opponent in one game."""

    @property
    def view(self) -> View | None:
        """View that they ask for; None for those that see the state."""

    def act(self, runner: GameRunner, turn: Turn, player: int) -> Any:
        """Return the action of ``player``: an index, or if actions have parts one for each."""


class _Random:
    """Any legal action with the same probability, from the game's stream for that player."""

    view = None

    def __init__(self, seed: int, player: int) -> None:
        self._stream = Stream(seed, "opponent", player)

    def act(self, runner: GameRunner, turn: Turn, player: int) -> int:
        actions = runner.legal_actions(turn, player)
        return int(actions[self._stream.below(len(actions))])


class _Tablebase(_Random):
    """Any action of perfect play with the same probability, from the same stream."""

    def act(self, runner: GameRunner, turn: Turn, player: int) -> int:
        actions = runner.game.best_actions(turn.state)
        return int(actions[self._stream.below(len(actions))])


SCRIPTED = "scripted:"
"""May stand before the name of a player that the game brings along."""

NATIVE = {"random": _Random, "tablebase": _Tablebase}
"""Opponents by name that the native core can play too."""


class _Scripted:
    """A player that the game brings along, from the same stream."""

    view = None

    def __init__(self, make: Callable[[int, int], Any], seed: int, player: int) -> None:
        self._agent = make(seed, player)

    def act(self, runner: GameRunner, turn: Turn, player: int) -> Any:
        return self._agent.act(turn.state, player)


class _Session:
    """An agent's session, which sees states."""

    view = None

    def __init__(self, agent: Any, seed: int, player: int) -> None:
        self._session = agent.session(Stream(seed, "session", player).seed())

    def act(self, runner: GameRunner, turn: Turn, player: int) -> Any:
        return self._session.act(turn.state, player)


class Callee:
    """A function of observation and info, shown what it asks to see."""

    def __init__(self, function: Callable[[Any, dict[str, Any]], Any], default: View) -> None:
        self._function = function
        self.view = view_of(function, default)

    def act(self, runner: GameRunner, turn: Turn, player: int) -> Any:
        """The function's answer."""
        shown = observe(turn, player, self.view)
        return self._function(shown.observation, shown.info)


def resolve(given: Any, view: View) -> Any:
    """Return the opponent of an option: a name of the core, an agent or a :class:`Callee`."""
    game = view.game
    if isinstance(given, str):
        if given == "tablebase" and not game.has_table:
            message = (
                f"opponent='tablebase': no table of perfect play is known for {game.name!r}; take "
                "'random', another agent, or a callable"
            )
            raise InvalidConfig(message)
        script = given.removeprefix(SCRIPTED)
        if given in NATIVE or script in game.scripted:
            return script
        given = agent_named(given)
    refuse_class(given)
    if hasattr(given, "session"):
        return given
    if callable(given):
        return Callee(given, view)
    message = (
        f"opponent={given!r}: expected None for self-play, a name such as 'random', a text such "
        "as 'mcts:nodes=50', a callable (observation, info) -> action, or an agent with "
        "session(seed)"
    )
    raise InvalidConfig(message)


def opponents_of(given: Any, view: View) -> tuple[Any, ...]:
    """Return an opponent for each player but the learner, in the order of players.

    Args:
        given: One for all players, or a list with one for each.
        view: View of callables that do not ask for one; it knows the game.
    """
    count = view.game.num_players - 1
    if isinstance(given, Sequence) and not isinstance(given, str):
        if len(given) != count:
            message = f"opponent= has {len(given)} entries for {count} players besides the learner"
            raise InvalidConfig(message)
        return tuple(resolve(each, view) for each in given)
    return (resolve(given, view),) * count


def assigned(game: Game, kinds: Sequence[Any], learner: int, seed: int) -> dict[int, Opponent]:
    """Return the opponents of one game by player, the learner left out."""
    free = [player for player in range(len(kinds) + 1) if player != learner]
    return {
        player: opponent_of(game, kind, player, seed)
        for player, kind in zip(free, kinds, strict=True)
    }


def opponent_of(game: Game, kind: Any, player: int, seed: int) -> Opponent:
    """Return an opponent, as :func:`resolve` gives it, for one player of the game with ``seed``."""
    if isinstance(kind, Callee):
        return kind
    if isinstance(kind, str):
        if kind in NATIVE:
            return NATIVE[kind](seed, player)
        return _Scripted(game.scripted[kind], seed, player)
    return _Session(kind, seed, player)


def views_of(opponents: Mapping[int, Opponent], own: View) -> tuple[View, ...]:
    """Return every player's view: that of the opponents, and ``own`` for the learner."""
    views = {player: opponent.view for player, opponent in opponents.items()}
    return tuple(views.get(player) or own for player in range(own.game.num_players))


def choose(opponent: Opponent, runner: GameRunner, turn: Turn, player: int) -> int:
    """An opponent's action, checked; one whose answer does not matter is not asked."""
    if runner.is_idle(turn, player):
        return int(runner.legal_actions(turn, player)[0])
    answer = opponent.act(runner, turn, player)
    if type(opponent) is _Random:  # which has drawn it from the legal actions
        return int(answer)
    return check_choice(runner, turn, player, answer)


def check_choice(runner: GameRunner, turn: Turn, player: int, answer: Any) -> int:
    """The index of the action that an opponent answered, if it is legal."""
    game = runner.game
    action = index_of(answer, game.num_actions, game.action_parts)
    if action is None or not runner.is_legal(turn, player, action):
        legal = np.array2string(runner.legal_actions(turn, player), threshold=10, edgeitems=3)
        message = (
            f"the opponent in the place of player {player} answered action {answer!r}, which is "
            f"not legal at ply {turn.ply}; legal are {legal}"
        )
        raise IllegalAction(message)
    return action
