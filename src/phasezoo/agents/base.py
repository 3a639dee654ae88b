"""Agents, and one agent in many games at once."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

from phasezoo import games
from phasezoo.agents.limit import Limit
from phasezoo.checking import refuse_class, type_name
from phasezoo.errors import GameForfeited, InvalidConfig, InvalidState
from phasezoo.inference.counts import Counts
from phasezoo.observation import GameRunner, Observation, View, make_view, observe, view_of
from phasezoo.specs import renamed, renamed_method, warn_renamed


class Forfeit(NamedTuple):
    """That a player gives a game up, or failed in it."""

    reason: str
    """A word for it: ``"resignation"``, or of engines ``"crash"``, ``"timeout"`` or
    ``"illegal_move"``."""
    message: str
    """A sentence about it."""

    @property
    def told(self) -> str:
        """The old name of ``message``."""
        warn_renamed("Forfeit.told", "Forfeit.message")
        return self.message


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


class SessionPool(Protocol):
    """One agent in many games at once, each in a slot of the pool.

    A caller opens a slot for a game, reports every action to it, asks it when the agent is to act,
    and closes it. :meth:`poll` works on all slots that were asked and returns the moves that are
    ready.
    """

    @property
    def counts(self) -> Counts:
        """The work of inference so far, over all slots."""

    @property
    def view(self) -> View | None:
        """The view of the agent's players; None if the pool is given states instead."""

    def open(self, seed: int, history: Sequence[Any] = ()) -> int:
        """Open a slot for a game with the states ``history`` so far; return its number."""

    def tell(self, slot: int, action: Any, state: Any) -> None:
        """Report ``action``, of one player or of all who move at once, which led to ``state``."""

    def ask(self, slot: int, state: Any, player: int, shown: Observation | None = None) -> None:
        """Begin to look for ``player``'s action in ``state``.

        Args:
            slot: The game.
            state: Its state.
            player: The player who acts.
            shown: The observation of ``player``, by the pool's ``view``; None if that is None.
        """

    def poll(self) -> list[tuple[int, Move]]:
        """Work a little; return the slots whose moves are ready, each with its move."""

    def close(self, slot: int) -> None:
        """Leave the game and free its slot."""

    # Pools that hold more than memory, such as processes, also have ``end()``, which is called
    # after the last game. Those with a true ``keeps_clocks`` are asked with ``limit=``, the limit
    # of this move alone, if they play by a clock.


class DeprecatedSeats:
    """The method ``seats`` of agents with pools of their own: the old name of ``session_pool``."""

    def seats(self, *args: Any, **options: Any) -> Any:
        """Call ``session_pool``, with a warning."""
        warn_renamed("seats() of agents", "session_pool()")
        agent: Any = self
        return agent.session_pool(*args, **options)


def state_in(info: Mapping[str, Any], agent: str) -> Any:
    """``info["state"]``, which agents that plan ahead need."""
    state = info.get("state") if isinstance(info, Mapping) else None
    if state is None:
        given = sorted(info) if isinstance(info, Mapping) else type_name(info)
        message = (
            f"{agent} plans from info['state'], which is missing; make a PettingZoo environment "
            "with state_in_info=True (Gymnasium's have it), or, where the game hides its state, "
            f"ask a session: session(seed).act(env.unwrapped.game_state, player). Given is {given}"
        )
        raise InvalidState(message)
    return state


def mask_in(observation: Any, info: Mapping[str, Any], agent: str) -> Any:
    """The action mask: ``info["action_mask"]``, or else that of a masked observation."""
    for place in (info, observation):
        if isinstance(place, Mapping) and "action_mask" in place:
            return place["action_mask"]
    given = sorted(info) if isinstance(info, Mapping) else type_name(info)
    message = (
        f"{agent} acts by info['action_mask'], which is missing; environments of this package tell "
        f"it, or observations with observation='masked' do. Given is {given}"
    )
    raise InvalidState(message)


class PlayingAgent(DeprecatedSeats, ABC):
    """An agent whose calls play games by its sessions, one for each thread."""

    name: str
    seed: int

    @abstractmethod
    def session(self, seed: int) -> "Session":
        """Return one game, which draws from ``seed`` alone."""

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The action for ``info["state"]``, in the game that it continues.

        Each thread has a game of its own.

        Raises:
            InvalidState: There is no state in ``info``, or the game is over. Environments of games
                with hidden information put none there:
                ``session(seed).act(env.unwrapped.game_state, player)``.
            InvalidEvaluation: The evaluator's answer is not valid.
        """
        state = state_in(info, self.name)
        own = self.__dict__.setdefault("_called", threading.local())
        if not hasattr(own, "session"):
            own.session = self.session(self.seed)
        return int(own.session.act(state))

    def __getstate__(self) -> dict[str, Any]:
        """The configuration: a copy starts a game of its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_called"}


class CallableAgent(DeprecatedSeats):
    """Any callable ``(observation, info) -> action`` as an agent.

    It receives what an environment would give it: never the state of a game that hides it. What it
    wants to see it says by its attributes ``plane_spec`` and ``gate``
    (:func:`phasezoo.observation.view_of`). It answers with an index, or if actions have parts with
    one number for each.
    """

    def __init__(self, function: Any) -> None:
        if not callable(function):
            message = (
                f"{type_name(function)} is no agent: give a callable (observation, info) -> "
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

    def session_pool(self, game: games.Game, **options: Any) -> "CallablePool":
        """Open a pool of games, whose positions are asked about one after another."""
        return CallablePool(self, game)


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


class CallablePool:
    """A pool of games of a :class:`CallableAgent`, which sees observations and no states."""

    def __init__(self, agent: CallableAgent, game: games.Game) -> None:
        self.view: View | None = agent.view(game)
        self.counts = Counts()
        self._agent = agent
        self._asked: dict[int, Observation] = {}
        self._next = 0

    def open(self, seed: int, history: Sequence[Any] = ()) -> int:
        """Open a slot."""
        self._next += 1
        return self._next - 1

    def tell(self, slot: int, action: Any, state: Any) -> None:
        """Do nothing: a callable sees moves when it is asked."""

    def ask(self, slot: int, state: Any, player: int, shown: Observation | None = None) -> None:
        """Note the question; ``shown`` is needed."""
        if shown is not None:
            self._asked[slot] = shown

    def poll(self) -> list[tuple[int, Move]]:
        """Answer everything that was asked."""
        asked, self._asked = self._asked, {}
        return [
            (slot, Move(self._agent(shown.observation, shown.info)))
            for slot, shown in asked.items()
        ]

    def close(self, slot: int) -> None:
        """Leave the game."""
        self._asked.pop(slot, None)


class SequentialPool:
    """A pool of games of an agent that plays by sessions, asked one after another.

    A session with ``move(state) -> Move`` reports the cost of its moves; others report the action
    alone. An agent with a true ``keeps_clocks`` plays by clocks: ``move(state, limit=…)``.
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
        """Open a slot with a session, which sees states when it is asked."""
        slot, self._next = self._next, self._next + 1
        self._sessions[slot] = self._agent.session(seed)
        return slot

    def tell(self, slot: int, action: Any, state: Any) -> None:
        """Do nothing: sessions follow the states that they are asked about."""

    def ask(
        self,
        slot: int,
        state: Any,
        player: int,
        shown: Observation | None = None,
        *,
        limit: Limit | None = None,
    ) -> None:
        """Note the question; ``limit`` is for agents with ``keeps_clocks``."""
        self._asked[slot] = (state, player, limit)

    def poll(self) -> list[tuple[int, Move]]:
        """Answer everything that was asked."""
        moves = [
            (slot, _move(self._sessions[slot], state, player, limit))
            for slot, (state, player, limit) in self._asked.items()
        ]
        self._asked.clear()
        return moves

    def close(self, slot: int) -> None:
        """Leave the game."""
        self._sessions.pop(slot)
        self._asked.pop(slot, None)


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


def session_pool_of(agent: Any, game: games.Game, **options: Any) -> SessionPool:
    """Return a pool of ``agent`` for ``game``: of its own kind, else one game after another."""
    refuse_class(agent)
    if (make := renamed_method(agent, "session_pool", "seats")) is not None:
        pool: SessionPool = make(game, **options)
        return pool
    if isinstance(agent, SessionAgent):
        return SequentialPool(agent)
    return CallableAgent(agent).session_pool(game)


seats_of = renamed(session_pool_of, "agents.seats_of", "agents.session_pool_of")


def name_of_agent(agent: Any) -> str:
    """How reports call ``agent``: its ``name``, a function's own, otherwise its type's."""
    name = getattr(agent, "name", None) or getattr(agent, "__name__", None)
    return name if isinstance(name, str) else type(agent).__name__
