"""The common part of agents that search."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games, gating
from phasezoo.agents.arguments import checked_player, seed_of, states_and_players
from phasezoo.agents.base import PlayingAgent, session_pool_of
from phasezoo.agents.limit import Limit, limit_or
from phasezoo.agents.search.mcts_session import MCTSSession
from phasezoo.agents.search.tree_pool import TreePool
from phasezoo.errors import GateMismatch, InvalidArray
from phasezoo.games.options import threads_or
from phasezoo.games.queries import to_play_of
from phasezoo.inference.evaluator import check_evaluator
from phasezoo.inference.mixture import gate_of
from phasezoo.inference.other_games import check_plays
from phasezoo.types import SIMULTANEOUS, Gate


class SearchingAgent(PlayingAgent, ABC):
    """An agent that searches, in one game or in many positions at once.

    It is configuration; :meth:`session` plays a game, :meth:`search` looks at one position.
    """

    player: int
    """Whom calls of the agent move, if players move at once."""
    ends_by_itself: bool = False
    """Whether a search without a limit ends, as one of so many layers does."""
    evaluator: Any
    """Answers what is searched."""
    game: games.Game | None
    _batches: int = 0

    def _set_up(
        self,
        evaluator: Any,
        limit: Limit,
        seed: int,
        game: str | games.Game | None,
        gate: str | Gate | None,
        threads: int | None,
    ) -> None:
        """Check and keep what all agents that search have; the arguments are theirs."""
        self.game = None if game is None else games.make(game)
        check_evaluator(evaluator)
        if self.game is not None:
            check_plays(evaluator, self.game)
        self.evaluator = evaluator
        self.limit = limit
        self.seed = seed_of(seed)
        self.gate = search_gate_of(evaluator, gate, None if self.game is None else self.game.name)
        self.threads = threads_or(threads, None)

    def session_pool(
        self,
        game: games.Game,
        *,
        limit: Limit | None = None,
        pool_rows: int | None = None,
        threads: int | None = None,
    ) -> Any:
        """Open a pool of games; ``limit`` replaces the agent's own."""
        return self._pool_of(
            games.make(game),
            limit_or(limit, self.limit),
            pool_rows=pool_rows,
            threads=self.threads if threads is None else threads,
        )

    @abstractmethod
    def _pool_of(self, game: games.Game, limit: Limit, **sizes: Any) -> TreePool:
        """Make a pool; ``sizes`` are its rows and threads."""

    def session(self, seed: int, game: str | games.Game | None = None) -> MCTSSession:
        """A game that draws from ``seed`` alone."""
        return MCTSSession(self, seed, self.game if game is None else games.make(game))

    def select_batch(
        self, states: Sequence[Any], players: Sequence[int] | None = None
    ) -> npt.NDArray[np.int64]:
        """``int64[N]``: an action for each state, all searched at once with trees of their own."""
        listed, acting = states_and_players(states, players)
        if not listed:
            message = "select_batch() was given no states"
            raise InvalidArray(message)
        game = games.game_of(listed[0]) if self.game is None else self.game
        pool = session_pool_of(self, game)
        rng = np.random.default_rng([self.seed, self._batches])
        self._batches += 1
        rows = {}
        for row, (state, player) in enumerate(zip(listed, acting, strict=True)):
            slot = pool.open(int(rng.integers(2**63)))
            pool.ask(slot, state, self.acting(state, player))
            rows[slot] = row
        actions = np.empty(len(listed), dtype=np.int64)
        while rows:
            for slot, move in pool.poll():
                actions[rows.pop(slot)] = move.action
        return actions

    def acting(self, state: Any, player: int | None = None) -> int:
        """Who acts in ``state``: ``player``, or whose turn it is, or the agent's ``player``.

        Raises:
            InvalidConfig: There is no such player.
        """
        if player is None and (to_play := to_play_of(state)) != SIMULTANEOUS:
            return to_play
        game = games.game_of(state) if self.game is None else self.game
        return checked_player(self.player if player is None else player, game)


def search_gate_of(evaluator: Any, gate: str | Gate | None, game: str | None) -> Gate | None:
    """The gate of a search: the mixture's own, or ``gate``."""
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
