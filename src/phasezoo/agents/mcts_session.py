"""One game of an agent that searches."""

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from phasezoo import games
from phasezoo.agents.search_seats import SearchSeats
from phasezoo.errors import InvalidConfig, InvalidState

if TYPE_CHECKING:
    from phasezoo.agents.decoupled_seats import DecoupledSeats
    from phasezoo.agents.searching import SearchingAgent

__all__ = ["MCTSSession"]


class MCTSSession:
    """One game of an agent that searches: its tree, what was seen of the game, its random stream.

    A copy, or what was pickled, goes on as the original would
    (:class:`~phasezoo.agents.search_seats.SearchSeats`).
    """

    def __init__(self, agent: "SearchingAgent", seed: int, game: games.Game | None) -> None:
        self._agent = agent
        self._seed = seed
        self._game = game
        self._seats: SearchSeats | DecoupledSeats | None = None
        self._seat = 0
        self._last: Any = None
        self._is_searching = False

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
        return int(self.search(state, acting).action)

    def search(
        self,
        state: Any,
        player: int | None = None,
        *,
        searchmoves: Sequence[int] | None = None,
    ) -> Any:
        """As :meth:`MCTSAgent.search`, going on with this game.

        Raises:
            InvalidState: It is searching already, in another thread or further up in this one.
        """
        if self._is_searching:
            message = (
                "this game is being searched already; give each thread a session of its own "
                "(agent.session(seed))"
            )
            raise InvalidState(message)
        self._is_searching = True
        try:
            return self._search(state, player, searchmoves)
        finally:
            self._is_searching = False

    def _search(self, state: Any, player: int | None, searchmoves: Sequence[int] | None) -> Any:
        seats = self._at(state)
        acting = self._agent.acting(state, player)
        if searchmoves is None:
            seats.ask(self._seat, state, acting)
        elif isinstance(seats, SearchSeats):
            seats.ask(self._seat, state, acting, searchmoves=searchmoves)
        else:
            message = "searchmoves= restricts searches in which one player moves at a time"
            raise InvalidConfig(message)
        try:
            while not seats.poll():
                pass
        except BaseException:
            self._last = None
            raise
        return seats.result

    def _at(self, state: Any) -> "SearchSeats | DecoupledSeats":
        """Seats, of which this game's stands at ``state``."""
        if self._seats is None:
            game = games.game_of(state) if self._game is None else self._game
            self._seats = self._agent.seats(game)
            self._seat = self._seats.open(self._seed)
        else:
            self._seat = self._seats.follow(self._seat, self._last, state)
        self._last = state
        return self._seats
