"""A pool of games of an engine from outside."""

from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TYPE_CHECKING, Any

from phasezoo import games
from phasezoo.agents.base import Forfeit, Move
from phasezoo.agents.engines.session import EngineSession, board_of, chess_limit
from phasezoo.agents.limit import Limit
from phasezoo.errors import GameForfeited, InvalidConfig, InvalidState
from phasezoo.inference.counts import Counts
from phasezoo.observation import Observation, View

if TYPE_CHECKING:
    from phasezoo.agents.engines.agent import EngineAgent


class EngineSessionPool:
    """A pool of games of an engine (:class:`~phasezoo.agents.base.SessionPool`)."""

    view: View | None = None
    keeps_clocks = True

    concurrency = 8
    """Games at once that suit it, because each has a process."""

    def __init__(self, agent: "EngineAgent", game: games.Game, limit: Limit) -> None:
        self.counts = Counts()
        self._agent = agent
        self._limit = limit
        self._sessions: dict[int, EngineSession] = {}
        self._asked: dict[Future[Move], int] = {}
        self._next = 0
        chess_limit(limit)
        if not hasattr(game.state_type, "board"):
            message = f"{agent.name}: UCI engines play chess and its variants, not {game.name!r}"
            raise InvalidConfig(message)
        self._pool = agent.open_pool()
        session = EngineSession(agent, self._pool, limit)
        board = board_of(game.initial_state(seed=0))
        try:
            called = self._pool.submit(session.check(self._pool, board)).result()
        except BaseException:
            self.end()
            raise
        session.close()
        self.identity = [called, agent.command, agent.options]
        """JSON that identifies the engine."""

    def open(self, seed: int, history: Sequence[Any] = ()) -> int:
        """Open a slot; states know the moves that led to them."""
        slot, self._next = self._next, self._next + 1
        self._sessions[slot] = EngineSession(self._agent, self._pool, self._limit)
        return slot

    def tell(self, slot: int, action: Any, state: Any) -> None:
        """Do nothing: engines receive all moves when they are asked."""

    def ask(
        self,
        slot: int,
        state: Any,
        player: int,
        shown: Observation | None = None,
        *,
        limit: Limit | None = None,
    ) -> None:
        """Let the engine think, beside whatever else is done; ``limit`` is that of this move."""
        self._asked[self._sessions[slot].submit(state, limit)] = slot

    def poll(self) -> list[tuple[int, Move]]:
        """Wait until an engine has answered; what has failed is a forfeit.

        Raises:
            EngineFailed: A new process cannot be started.
        """
        if not self._asked:
            return []
        done, _ = wait(self._asked, return_when=FIRST_COMPLETED)
        moves = []
        for future in sorted(done, key=lambda future: self._asked[future]):
            slot = self._asked.pop(future)
            try:
                moves.append((slot, future.result()))
            except GameForfeited as error:
                moves.append((slot, Move(None, forfeit=Forfeit(error.reason, str(error)))))
        return moves

    def close(self, slot: int) -> None:
        """Leave the game."""
        self._sessions.pop(slot).close()

    def end(self) -> None:
        """End the processes: no more games are played."""
        self._pool.close()

    def __getstate__(self) -> dict[str, Any]:
        if self._asked:
            message = "engines are thinking: wait for their moves before the pool is copied"
            raise InvalidState(message)
        return self.__dict__ | {"_pool": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy has processes of its own."""
        self.__dict__.update(state)
        self._pool = self._agent.open_pool()
        for session in self._sessions.values():
            session.move_to(self._pool)
