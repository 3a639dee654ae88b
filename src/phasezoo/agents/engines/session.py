"""One game of an engine from outside."""

import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from phasezoo import games
from phasezoo.agents.base import Move
from phasezoo.agents.engines.pool import EnginePool
from phasezoo.agents.engines.process import Engine
from phasezoo.agents.limit import Limit
from phasezoo.data.centipawns import value_of_centipawns
from phasezoo.errors import GameForfeited, InvalidConfig

if TYPE_CHECKING:
    import chess
    import chess.engine

    from phasezoo.agents.engines.agent import EngineAgent


class EngineSession:
    """One game of an :class:`EngineAgent`; a copy goes on with a process of its own."""

    def __init__(self, agent: "EngineAgent", pool: EnginePool, limit: Limit) -> None:
        self._agent = agent
        self._pool: EnginePool | None = pool
        self._limit = limit
        self._engine: Engine | None = None
        self._game = object()

    def act(self, state: Any, player: int | None = None) -> int:
        """The action for ``state``; see :meth:`EngineAgent.__call__`."""
        return int(self.move(state).action)

    def move(self, state: Any, player: int | None = None) -> Move:
        """As :meth:`act`, with what the engine says of it."""
        return self.submit(state).result()

    def submit(self, state: Any, limit: Limit | None = None) -> "Future[Move]":
        """Start thinking about ``state``, for as long as ``limit`` says; default the session's.

        Raises:
            InvalidConfig: The state is of no game that engines play.
        """
        if self._pool is None:
            self._pool = self._agent.session(0)._pool
        assert self._pool is not None
        until = chess_limit(self._limit if limit is None else limit)
        return self._pool.submit(self._think(self._pool, state, board_of(state), until))

    def close(self) -> None:
        """Let another game have the process."""
        engine, self._engine = self._engine, None
        if engine is not None and self._pool is not None:
            self._pool.give_back(engine)

    def move_to(self, pool: EnginePool) -> None:
        """Go on with a process of another pool."""
        self.close()
        self._pool = pool

    async def check(self, pool: EnginePool, board: "chess.Board") -> str:
        """Start the engine; what it calls itself.

        Raises:
            EngineFailed: It cannot be started, or does not play the board's variant.
        """
        if self._engine is None:
            self._engine = await pool.take()
            self._engine.check_variant(board)
        return self._engine.name

    async def _think(
        self, pool: EnginePool, state: Any, board: "chess.Board", limit: "chess.engine.Limit"
    ) -> Move:
        import chess.engine

        seconds = self._agent.timeout_s + (limit.time or limit.white_clock or 0.0)
        async with pool.turns:
            await self.check(pool, board)
            engine = self._engine
            assert engine is not None
            began = time.perf_counter()
            try:
                played = await engine.play(board, limit, self._game, seconds)
                return _move(state, played, time.perf_counter() - began)
            except TimeoutError:
                reason, said = "timeout", f"no answer within {seconds:g} s"
            except chess.engine.EngineTerminatedError as error:
                reason, said = "crash", str(error)
            except (chess.engine.EngineError, ValueError) as error:
                reason, said = "illegal_move", str(error)
            self._engine = None
            await pool.drop(engine)
        message = f"{engine.name} at ply {state.ply}: {said}"
        raise GameForfeited(message, reason)

    def __del__(self) -> None:
        if getattr(self, "_engine", None) is not None:
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None, "_engine": None, "_game": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _game=object())


def board_of(state: Any) -> "chess.Board":
    """The state as a board of python-chess, with the moves that led to it."""
    if not hasattr(state, "board"):
        message = f"UCI engines play chess and its variants, not {games.game_of(state).name!r}"
        raise InvalidConfig(message)
    board: chess.Board = state.board()
    return board


def _move(state: Any, played: "chess.engine.PlayResult", seconds: float) -> Move:
    """The answer of an engine after so long."""
    if played.move is None:
        message = "it answered with no move"
        raise ValueError(message)
    score = played.info.get("score")
    return Move(
        int(state.parse_uci(played.move.uci())),
        value=None if score is None else _value(score.relative),
        nodes=int(played.info.get("nodes", 0)),
        depth=int(played.info.get("depth", 0)),
        seconds=seconds,
    )


def _value(score: "chess.engine.Score") -> float:
    """A score for the player to move, in [-1, 1]."""
    centipawns = score.score()
    if centipawns is None:
        return 1.0 if (score.mate() or -1) > 0 else -1.0
    return value_of_centipawns(centipawns)


def chess_limit(limit: Limit) -> "chess.engine.Limit":
    """A limit as python-chess has it."""
    import chess.engine

    if limit.simulations is not None or limit.infinite:
        message = (
            f"{limit}: engines count nodes and no simulations, and end by themselves; give "
            "nodes=, movetime_ms= or depth="
        )
        raise InvalidConfig(message)
    clock = limit.clock
    left = None if clock is None else clock.left_ms / 1000
    increment = None if clock is None else clock.increment_ms / 1000
    return chess.engine.Limit(
        time=None if limit.movetime_ms is None else limit.movetime_ms / 1000,
        nodes=limit.nodes,
        depth=limit.depth,
        mate=limit.mate,
        white_clock=left,
        black_clock=left,
        white_inc=increment,
        black_inc=increment,
        remaining_moves=None if clock is None else clock.moves_to_go,
    )
