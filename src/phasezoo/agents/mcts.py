"""Tree search as an agent: MCTS with one evaluator, M2CTS with a mixture of phase experts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games, gating
from phasezoo.agents.base import state_in
from phasezoo.agents.config import Limit, SearchConfig, limit_or
from phasezoo.agents.following import steps_between
from phasezoo.agents.search_seats import SearchSeats, params_of
from phasezoo.errors import GateMismatch, InvalidArray
from phasezoo.inference.mixture import MixtureOfExperts, gate_of
from phasezoo.inference.routing import Routing
from phasezoo.types import Gate

__all__ = ["M2CTSAgent", "MCTSAgent", "MCTSSession", "search_gate_of"]

DEFAULT_LIMIT = Limit(nodes=800)
"""Nodes a move of the published self-play (M2CTS, Table XI)."""


class MCTSAgent:
    """Batched PUCT tree search (Silver et al., AlphaZero 2018; details: :class:`SearchConfig`).

    The agent is configuration; :meth:`session` plays a game, :meth:`search` looks at one position.
    Calling it plays the game it is shown: the tree goes on while the states shown continue one
    another, otherwise it starts anew.

    Args:
        evaluator: Answers leaves; a mixture brings its gate with it.
        limit: When a search ends; default 800 nodes.
        batch_size: Leaves that the tree may have outstanding; default ``config.batch_size``.
        seed: Seeds everything random in its calls and searches.
        game: The game's name; default that of the states it is shown.
        gate: Says the phases of leaves, for counting them; default the mixture's.
        config: How to search; default match play.
        name: How reports call it.
        threads: Threads that walk trees and make planes; default 1
            (:data:`~phasezoo.agents.search_seats.DEFAULT_THREADS`).
        overrides: Fields of ``config`` by name, such as ``c_puct_init=2.0``.

    Raises:
        InvalidConfig: An option does not exist or is out of range.
        GateMismatch: ``gate`` is not the one that the mixture routes by.
    """

    def __init__(
        self,
        evaluator: Any,
        *,
        limit: Limit | None = None,
        batch_size: int | None = None,
        seed: int = 0,
        game: str | None = None,
        gate: str | Gate | None = None,
        config: SearchConfig | None = None,
        name: str | None = None,
        threads: int | None = None,
        **overrides: Any,
    ) -> None:
        if batch_size is not None:
            overrides["batch_size"] = batch_size
        self.evaluator = evaluator
        self.limit = limit_or(limit, DEFAULT_LIMIT)
        self.config = (SearchConfig() if config is None else config).with_(**overrides)
        params_of(self.config)  # refuses what is out of range now, not at the first move
        self.seed = seed
        self.game = None if game is None else games.make(game)
        self.gate = search_gate_of(evaluator, gate, game)
        self.name = self._default_name() if name is None else name
        self.threads = threads
        self._following: MCTSSession | None = None
        self._batches = 0

    def _default_name(self) -> str:
        return "M2CTS" if isinstance(self.evaluator, MixtureOfExperts) else "MCTS"

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The action for ``info["state"]``, in the game that it continues.

        Raises:
            InvalidState: There is no state in ``info``.
            InvalidEvaluation: The evaluator's answer is not valid.
        """
        state = state_in(info, self.name)
        if self._following is None:
            self._following = self.session(self.seed)
        return self._following.act(state)

    def search(self, state: Any) -> Any:
        """Search ``state`` with a new tree; the same state always gives the same result.

        Returns:
            A ``SearchResult``: ``action``; ``actions``, ``visits``, ``q`` and ``prior`` of the
            root's legal actions; ``policy`` over all actions; ``value`` for the player to move;
            ``pv``; ``nodes``, ``simulations``, ``depth``, ``proven``, ``seconds``.

        Raises:
            UnknownGame: The state belongs to no registered game.
            InvalidEvaluation: The evaluator's answer is not valid.
        """
        return self.session(self.seed).search(state)

    def session(self, seed: int, game: str | games.Game | None = None) -> "MCTSSession":
        """A game that draws from ``seed`` alone."""
        return MCTSSession(self, seed, self.game if game is None else games.make(game))

    def seats(
        self,
        game: games.Game,
        *,
        limit: Limit | None = None,
        pool_rows: int | None = None,
        threads: int | None = None,
    ) -> SearchSeats:
        """Many games at once, in one pool; ``limit`` replaces the agent's own."""
        return SearchSeats(
            game,
            self.evaluator,
            self.config,
            self.limit if limit is None else limit,
            self.gate,
            pool_rows=pool_rows,
            threads=self.threads if threads is None else threads,
        )

    def select_batch(
        self, states: Sequence[Any], players: Sequence[int] | None = None
    ) -> npt.NDArray[np.int64]:
        """``int64[N]``: an action for each state, all searched at once with trees of their own."""
        if len(states) == 0:
            message = "select_batch() was given no states"
            raise InvalidArray(message)
        seats = self.seats(games.game_of(states[0]) if self.game is None else self.game)
        rng = np.random.default_rng([self.seed, self._batches])
        self._batches += 1
        rows = {}
        for row, state in enumerate(states):
            seat = seats.open(int(rng.integers(2**63)))
            seats.ask(seat, state, state.to_play)
            rows[seat] = row
        actions = np.empty(len(states), dtype=np.int64)
        while rows:
            for seat, move in seats.poll():
                actions[rows.pop(seat)] = move.action
        return actions

    def __getstate__(self) -> dict[str, Any]:
        """The configuration: a copy starts a game of its own."""
        return self.__dict__ | {"_following": None}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.evaluator!r}, limit={self.limit}, seed={self.seed})"


class M2CTSAgent(MCTSAgent):
    """MCTS over a mixture of phase experts (Helfenstein et al., M2CTS).

    Args:
        experts: An evaluator for each phase's name.
        gate: The gate the experts were trained under.
        routing: ``"exact"``, ``"majority"`` or ``"soft"``; see :class:`MixtureOfExperts`.
        search_gate: Route by this gate instead, on purpose.
        fallback: The phase whose expert answers for phases that have none.
        options: As for :class:`MCTSAgent`.

    Raises:
        InvalidConfig, GateMismatch, InvalidGate: See :class:`MixtureOfExperts`.
    """

    def __init__(
        self,
        experts: Mapping[str, Any],
        gate: str | Gate,
        routing: Routing = "exact",
        *,
        search_gate: str | Gate | None = None,
        fallback: str | None = None,
        **options: Any,
    ) -> None:
        mixture = MixtureOfExperts(
            experts,
            gate,
            routing,
            search_gate=search_gate,
            fallback=fallback,
            game=options.get("game"),
        )
        super().__init__(mixture, **options)


class MCTSSession:
    """One game of an :class:`MCTSAgent`: its tree, its random stream."""

    def __init__(self, agent: MCTSAgent, seed: int, game: games.Game | None) -> None:
        self._agent = agent
        self._seed = seed
        self._game = game
        self._seats: SearchSeats | None = None
        self._seat = 0
        self._last: Any = None

    def act(self, state: Any, player: int | None = None) -> int:
        """The action for ``state``; the tree is kept where it continues the last one shown."""
        return int(self.search(state).action)

    def search(self, state: Any) -> Any:
        """As :meth:`MCTSAgent.search`, going on with the tree of this game."""
        seats = self._followed(state)
        seats.ask(self._seat, state, state.to_play)
        try:
            while not seats.poll():
                pass
        except BaseException:
            self._last = None
            raise
        return seats.result

    def __getstate__(self) -> dict[str, Any]:
        """Without the tree: a copy searches its next position anew."""
        return self.__dict__ | {"_seats": None, "_last": None}

    def _followed(self, state: Any) -> SearchSeats:
        """Seats whose tree stands at ``state``."""
        steps = None if self._last is None else steps_between(self._last, state)
        if self._seats is None:
            game = games.game_of(state) if self._game is None else self._game
            self._seats = self._agent.seats(game)
            self._seat = self._seats.open(self._seed)
        elif steps is None:
            # Another game: another tree, but not the random numbers of the last one again.
            self._seats.close(self._seat)
            self._seed = int(np.random.default_rng(self._seed).integers(2**63))
            self._seat = self._seats.open(self._seed)
        else:
            for action, after in steps:
                self._seats.tell(self._seat, action, after)
        self._last = state
        return self._seats


def search_gate_of(evaluator: Any, gate: str | Gate | None, game: str | None) -> Gate | None:
    """The gate of a search: the mixture's own, or ``gate``.

    Raises:
        GateMismatch: Both are given, and are not the same.
    """
    given = None if gate is None else gate_of(gate, game)
    own: Gate | None = getattr(evaluator, "search_gate", None)
    if own is None or given is None:
        return given if own is None else own
    if not gating.same(given, own, game):
        message = (
            f"gate={gating.spec_of(given)!r}, but the mixture routes by {gating.spec_of(own)!r}: "
            "leave gate= out, or give the mixture search_gate="
        )
        raise GateMismatch(message)
    return own
