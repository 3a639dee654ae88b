"""One game of an agent that searches."""

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from phasezoo import games
from phasezoo._core import SearchResult
from phasezoo.agents.arguments import seed_of
from phasezoo.agents.base import Move, OneSearch, session_pool_of
from phasezoo.agents.limit import Limit, checked_limit
from phasezoo.agents.search.mcts_pool import MCTSPool
from phasezoo.errors import InvalidConfig
from phasezoo.inference.counts import Counts

if TYPE_CHECKING:
    from phasezoo.agents.search.fresh_pool import FreshTreePool
    from phasezoo.agents.search.searching import SearchingAgent


class MCTSSession:
    """One game of an agent that searches: its tree, what was seen of the game, its random stream.

    A copy, or what was pickled, goes on as the original would
    (:class:`~phasezoo.agents.search.mcts_pool.MCTSPool`).
    """

    def __init__(self, agent: "SearchingAgent", seed: int, game: games.Game | None) -> None:
        self._agent = agent
        self._seed = seed_of(seed)
        self._game = game
        self._pool: MCTSPool | FreshTreePool | None = None
        self._slot = 0
        self._last: Any = None
        self._one_search = OneSearch()
        self._is_live = False

    def __copy__(self) -> "MCTSSession":
        """A copy shares no tree, as a deep one."""
        return copy.deepcopy(self)

    def act(self, state: Any, player: int | None = None) -> int:
        """The action for ``state``; the tree is kept if it continues the last one shown.

        Args:
            state: The state, of which a search with ``information="observed"`` uses what its player
                sees.
            player: Who acts, if players move at once; default the agent's ``player``.
        """
        acting = self._agent.acting(state, player)
        is_idle = getattr(state, "is_idle", None)
        if is_idle is not None and is_idle(acting):  # whatever they answer, nothing happens
            return next(iter(games.legal_actions_of(state, acting).tolist()), 0)
        return int(self.search(state, player).action)

    def move(
        self,
        state: Any,
        limit: Limit | None = None,
        *,
        watch: Callable[[], object] | None = None,
    ) -> Move:
        """As :meth:`act`, with the value and the work behind it; the rest as in :meth:`search`."""
        result = self.search(state, limit=limit, watch=watch)
        return Move(
            int(result.action),
            float(result.value),
            int(result.nodes),
            int(result.simulations),
            int(result.depth),
            search=result,
        )

    def search(
        self,
        state: Any,
        player: int | None = None,
        *,
        searchmoves: Sequence[int] | None = None,
        limit: Limit | None = None,
        watch: Callable[[], object] | None = None,
    ) -> SearchResult:
        """As :meth:`MCTSAgent.search`, going on with this game.

        Args:
            state: Where the game stands.
            player: For whom, if players move at once; default the agent's ``player``.
            searchmoves: The root's actions that are searched alone; default all.
            limit: When this search ends; default as the agent says.
            watch: Called after every batch of leaves; it may look at :meth:`report`, and
                :meth:`stop` the search.

        Raises:
            InvalidConfig: ``limit`` is no limit, or ``watch`` no function.
            InvalidState: It is searching already, in another thread or further up in this one.
        """
        if limit is not None:
            checked_limit(limit)
        watcher: Any = watch
        if watcher is not None and not callable(watcher):
            message = f"watch={watcher!r}: expected a function without arguments"
            raise InvalidConfig(message)
        with self._one_search:
            try:
                return self._search(state, player, searchmoves, limit, watch)
            finally:
                self._is_live = False

    def report(self) -> SearchResult | None:
        """Return the findings of the running search so far, from any thread; None if none runs.

        It is a ``SearchResult`` as :meth:`search` gives one, of less work.
        """
        pool = self._live_pool()
        return None if pool is None else pool.report(self._slot)

    def stop(self) -> None:
        """End the search that runs, from any thread, by what it has found; if none, nothing."""
        pool = self._live_pool()
        if pool is not None:
            pool.stop(self._slot)

    def change_limit(self, limit: Limit) -> None:
        """Go on with another limit, from any thread: time counts from now, all else as before.

        That is what happens when an opponent plays the move that was pondered on. If no search
        runs, nothing happens.

        Raises:
            InvalidConfig: ``limit`` is no limit.
        """
        checked_limit(limit)
        pool = self._live_pool()
        if pool is not None:
            pool.change_limit(self._slot, limit)

    @property
    def counts(self) -> Counts:
        """The work of inference in this game so far."""
        return Counts() if self._pool is None else Counts() + self._pool.counts

    def _live_pool(self) -> "MCTSPool | FreshTreePool | None":
        return self._pool if self._is_live else None

    def _search(
        self,
        state: Any,
        player: int | None,
        searchmoves: Sequence[int] | None,
        limit: Limit | None,
        watch: Callable[[], object] | None,
    ) -> SearchResult:
        pool = self._at(state)
        acting = self._agent.acting(state, player)
        if isinstance(pool, MCTSPool):
            pool.ask(self._slot, state, acting, searchmoves=searchmoves, limit=limit)
        elif searchmoves is None:
            pool.ask(self._slot, state, acting, limit=limit)
        else:
            message = (
                "searchmoves= of a search is for MCTSAgent where one player moves at a time; leave "
                "it out"
            )
            raise InvalidConfig(message)
        self._is_live = True
        try:
            while not pool.poll():
                if watch is not None:
                    watch()
        except BaseException:
            self._last = None
            raise
        pool.forget_waiting()
        pool.result._searched(state)
        return pool.result

    def _at(self, state: Any) -> "MCTSPool | FreshTreePool":
        """Return the pool, in whose slot this game stands at ``state``."""
        if self._pool is None:
            game = games.game_of(state) if self._game is None else self._game
            pool: Any = session_pool_of(self._agent, game)  # of the agent's own kind
            self._pool = pool
            self._slot = self._pool.open(self._seed)
        else:
            self._slot = self._pool.follow(self._slot, self._last, state)
        self._last = state
        return self._pool
