"""Agents, and one agent in many games at once."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.agents.limit import Limit
from phasezoo.errors import GameForfeited, InvalidConfig, InvalidState
from phasezoo.inference.counts import Counts
from phasezoo.observation import GameRunner, Observation, View, make_view, observe, view_of


class Forfeit(NamedTuple):
    """That a player gives a game up, or failed in it."""

    reason: str
    """A word for it: ``"resignation"``, or of engines ``"crash"``, ``"timeout"`` or
    ``"illegal_move"``."""
    told: str
    """A sentence about it."""


@dataclass(frozen=True)
class Move:
    """An agent's choice, and what it took."""

    action: Any
    """The action to play: its index, or if actions have parts one number for each; None with a
    ``forfeit``."""
    value: float | None = None
    """The agent's own expectation from its search, in [-1, 1]; None without a search."""
    nodes: int = 0
    """Positions evaluated for this move."""
    simulations: int = 0
    """Descents made for this move."""
    depth: int = 0
    """How many plies deep a search says that it looked; 0 if it does not say."""
    phase: int | None = None
    """The phase that the search was in by its gate; None without one."""
    seconds: float | None = None
    """Wall time that it took, of agents that know better than who asks, such as engines that wait
    for each other; otherwise None."""
    forfeit: Forfeit | None = None
    """Why the game is lost instead of an action being played."""
    search: Any = field(default=None, repr=False, compare=False)
    """All that the search found, if one of this package's agents searched."""


class Session(Protocol):
    """One game of an agent: its tree, its random stream."""

    def act(self, state: Any, player: int | None = None) -> int:
        """The action of ``player`` (default: the one to move) in ``state``."""


@runtime_checkable
class SessionAgent(Protocol):
    """An agent that plays games with a memory or random stream of their own."""

    def session(self, seed: int) -> Session:
        """A new game, whose randomness comes from ``seed`` alone."""


@runtime_checkable
class BatchAgent(Protocol):
    """An agent that answers many unrelated positions at once."""

    def select_batch(
        self, states: Sequence[Any], players: Sequence[int] | None = None
    ) -> npt.NDArray[np.int64]:
        """``int64[N]``: an action for each state."""


class Seats(Protocol):
    """One agent in many games at once, each game a seat.

    A game is opened, follows every action, is asked when it is the agent's turn, and closed.
    :meth:`poll` works on all that were asked and hands out the moves that are ready.
    """

    @property
    def counts(self) -> Counts:
        """The work of inference so far, over all seats."""

    @property
    def view(self) -> View | None:
        """The view of players in these seats; None if they are given states instead."""

    def open(self, seed: int, history: Sequence[Any] = ()) -> int:
        """Take a seat in a game of which ``history`` are the states so far; the seat's number."""

    def tell(self, seat: int, action: Any, state: Any) -> None:
        """``action``, of anyone or of all who move at once, was played and led to ``state``."""

    def ask(self, seat: int, state: Any, player: int, shown: Observation | None = None) -> None:
        """Start thinking about ``player``'s action in ``state``.

        Args:
            seat: Which game.
            state: Where it stands.
            player: Who acts.
            shown: The observation of ``player``, by the seats' ``view``; None if that is None.
        """

    def poll(self) -> list[tuple[int, Move]]:
        """Work a little; the seats whose move is ready, with the move."""

    def close(self, seat: int) -> None:
        """Leave the game."""

    # Seats that hold more than memory, such as processes, have ``end()`` too, which is called after
    # the last game. Those with a true ``keeps_clocks`` are asked with ``limit=``, that of this move
    # alone, if they play by a clock.


def state_in(info: Mapping[str, Any], agent: str) -> Any:
    """``info["state"]``, which agents that plan ahead need.

    Raises:
        InvalidState: ``info`` has no state.
    """
    state = info.get("state") if isinstance(info, Mapping) else None
    if state is None:
        given = sorted(info) if isinstance(info, Mapping) else f"a {type(info).__name__}"
        message = (
            f"{agent} plans from info['state'], which is missing; make a PettingZoo environment "
            "with state_in_info=True (Gymnasium's have it), or, where the game hides its state, "
            f"ask a session: session(seed).act(env.unwrapped.game_state, player). Given is {given}"
        )
        raise InvalidState(message)
    return state


def mask_in(observation: Any, info: Mapping[str, Any], agent: str) -> Any:
    """The action mask: ``info["action_mask"]``, or else that of a masked observation.

    Args:
        observation: What an environment shows.
        info: Its ``info``.
        agent: Who asks, for the message.

    Raises:
        InvalidState: There is no mask.
    """
    for place in (info, observation):
        if isinstance(place, Mapping) and "action_mask" in place:
            return place["action_mask"]
    given = sorted(info) if isinstance(info, Mapping) else f"a {type(info).__name__}"
    message = (
        f"{agent} acts by info['action_mask'], which is missing; environments of this package tell "
        f"it, or observations with observation='masked' do. Given is {given}"
    )
    raise InvalidState(message)


class CallableAgent:
    """Any callable ``(observation, info) -> action`` as an agent.

    It receives what an environment would give it: never the state of a game that hides it. What it
    wants to see it says by its attributes ``plane_spec`` and ``gate``
    (:func:`phasezoo.observation.view_of`). It answers with an index, or if actions have parts with
    one number for each.
    """

    def __init__(self, function: Any) -> None:
        if not callable(function):
            message = (
                f"a {type(function).__name__} is no agent: give a callable (observation, info) -> "
                "action, or an object with session(seed)"
            )
            raise InvalidConfig(message)
        self._function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> Any:
        """The function's answer."""
        return self._function(observation, info)

    def view(self, game: games.Game) -> View:
        """Return the function's view of ``game``; default the game's own planes."""
        return view_of(self._function, make_view(game))

    def session(self, seed: int) -> Session:
        """One game; a function that remembers earlier calls remembers other games too."""
        return _CallableSession(self)

    def seats(self, game: games.Game, **options: Any) -> "CallableSeats":
        """Many games at once, one question after another."""
        return CallableSeats(self, game)


class _CallableSession:
    """Asks about states of which nothing else is known."""

    def __init__(self, agent: CallableAgent) -> None:
        self._agent = agent

    def act(self, state: Any, player: int | None = None) -> int:
        runner, view = GameRunner(games.game_of(state)), self._agent.view(games.game_of(state))
        acting = int(state.to_play) if player is None else player
        turn = runner.turn(state, (view,) * view.game.num_players)
        shown = observe(turn, acting, view)
        return runner.index(self._agent(shown.observation, shown.info))


class CallableSeats:
    """Many games of a :class:`CallableAgent`, which sees observations and no states."""

    def __init__(self, agent: CallableAgent, game: games.Game) -> None:
        self.view: View | None = agent.view(game)
        self.counts = Counts()
        self._agent = agent
        self._asked: dict[int, Observation] = {}
        self._next = 0

    def open(self, seed: int, history: Sequence[Any] = ()) -> int:
        """Take a seat."""
        self._next += 1
        return self._next - 1

    def tell(self, seat: int, action: Any, state: Any) -> None:
        """A callable learns of moves when it is asked."""

    def ask(self, seat: int, state: Any, player: int, shown: Observation | None = None) -> None:
        """Remember what is asked; ``shown`` is needed."""
        if shown is not None:
            self._asked[seat] = shown

    def poll(self) -> list[tuple[int, Move]]:
        """Answer everything that was asked."""
        asked, self._asked = self._asked, {}
        return [
            (seat, Move(self._agent(shown.observation, shown.info)))
            for seat, shown in asked.items()
        ]

    def close(self, seat: int) -> None:
        """Leave the game."""
        self._asked.pop(seat, None)


class SessionSeats:
    """Seats of an agent that plays game by game.

    A session with ``move(state) -> Move`` says what its moves took; of others the action is known.
    An agent with a true ``keeps_clocks`` plays by clocks: ``move(state, limit=…)``.
    """

    view: View | None = None

    def __init__(self, agent: SessionAgent) -> None:
        self._agent = agent
        self.keeps_clocks = bool(getattr(agent, "keeps_clocks", False))
        self._sessions: dict[int, Session] = {}
        self._asked: dict[int, tuple[Any, int, Limit | None]] = {}
        self._next = 0
        self.counts = Counts()

    def open(self, seed: int, history: Sequence[Any] = ()) -> int:
        """Take a seat; a session sees states when it is asked."""
        seat, self._next = self._next, self._next + 1
        self._sessions[seat] = self._agent.session(seed)
        return seat

    def tell(self, seat: int, action: Any, state: Any) -> None:
        """Sessions follow the states they are shown."""

    def ask(
        self,
        seat: int,
        state: Any,
        player: int,
        shown: Observation | None = None,
        *,
        limit: Limit | None = None,
    ) -> None:
        """Remember what is asked; ``limit`` is for agents with ``keeps_clocks``."""
        self._asked[seat] = (state, player, limit)

    def poll(self) -> list[tuple[int, Move]]:
        """Answer everything that was asked."""
        moves = [
            (seat, _move(self._sessions[seat], state, player, limit))
            for seat, (state, player, limit) in self._asked.items()
        ]
        self._asked.clear()
        return moves

    def close(self, seat: int) -> None:
        """Leave the game."""
        self._sessions.pop(seat)
        self._asked.pop(seat, None)


def _move(session: Any, state: Any, player: int, limit: Limit | None) -> Move:
    try:
        if hasattr(session, "move"):
            more = {} if limit is None else {"limit": limit}
            move: Move = session.move(state, **more)
            return move
        return Move(session.act(state, player))
    except GameForfeited as error:
        return Move(None, forfeit=Forfeit(error.reason, str(error)))


class OneSearch:
    """Held by the search of a session, which takes one at a time; a copy's is free."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            message = (
                "this game is being searched already; give each thread a session of its own "
                "(agent.session(seed))"
            )
            raise InvalidState(message)

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type["OneSearch"], tuple[()]]:
        return OneSearch, ()


def called_session(agent: Any) -> Any:
    """The session in which calls of ``agent`` play: one for each thread."""
    own = agent.__dict__.setdefault("_called", threading.local())
    if not hasattr(own, "session"):
        own.session = agent.session(agent.seed)
    return own.session


def seats_of(agent: Any, game: games.Game, **options: Any) -> Seats:
    """Seats of ``agent`` for ``game``: its own kind if it has one, otherwise session by session.

    Args:
        agent: An agent, a :class:`SessionAgent`, or a callable ``(observation, info) -> action``.
        game: What is played.
        options: ``limit``, ``pool_rows`` and ``threads``, for agents with seats of their own.

    Raises:
        InvalidConfig: ``agent`` is of no such kind.
    """
    if isinstance(agent, type):
        message = f"{agent.__name__} is a class: give an agent, such as {agent.__name__}(…)"
        raise InvalidConfig(message)
    if hasattr(agent, "seats"):
        seats: Seats = agent.seats(game, **options)
        return seats
    if isinstance(agent, SessionAgent):
        return SessionSeats(agent)
    return CallableAgent(agent).seats(game)


def name_of_agent(agent: Any) -> str:
    """How reports call ``agent``: its ``name``, a function's own, otherwise its type's."""
    name = getattr(agent, "name", None) or getattr(agent, "__name__", None)
    return name if isinstance(name, str) else type(agent).__name__
