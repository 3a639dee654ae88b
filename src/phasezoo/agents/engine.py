"""Chess engines from outside as agents."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phasezoo import games
from phasezoo.agents.base import Move, state_in
from phasezoo.agents.centipawns import value_of_centipawns
from phasezoo.agents.engine_pool import EnginePool
from phasezoo.agents.engine_process import Engine, find_engine, require_chess
from phasezoo.agents.limit import Limit, checked_limit
from phasezoo.errors import GameForfeited, InvalidConfig
from phasezoo.runs.provenance import usable_cores

if TYPE_CHECKING:
    import chess
    import chess.engine

    from phasezoo.agents.engine_seats import EngineSeats

__all__ = ["EngineAgent", "EngineSession", "board_of", "chess_limit"]


class EngineAgent:
    """Plays what a UCI engine answers, in the games that python-chess knows.

    These are chess, chess960, and by the engine's ``UCI_Variant`` atomic chess and crazyhouse. The
    engine is told the start and all moves since, so that it sees repetitions. Every game has a
    process of its own, which goes on to the next game (``ucinewgame``).

    An engine that ends, does not answer in time or answers with an illegal move forfeits a match's
    game, with the reason in its record, and the match goes on with a new process; in an
    environment, and in calls, that is an error.

    Processes end with the match or environment, with :meth:`close`, when the agent is collected,
    and when the program ends.

    Args:
        command: The engine's program, found in ``PATH`` and where systems keep games; or with
            arguments, as a shell has them; or the words of the command.
        nodes: Nodes of a move, as the engine counts them.
        movetime_ms: Time of a move in milliseconds.
        depth: Depth of a move in plies, as the engine counts it.
        mate: Moves within which it looks for a mate.
        limit: The same as a limit, which may have a clock too: that of every move.
        options: UCI options by name, such as ``{"Threads": 1, "Hash": 64}``.
        timeout_s: Seconds that the engine has to answer beyond its time.
        start_timeout_s: Seconds that it has to start.
        parallel: How many processes of a match think at once; default as many as the cores that
            this process may use, shared by the option ``Threads``.
        name: How reports call it; default the program's name and the limit.

    Raises:
        EngineFailed: There is no such program.
        InvalidConfig: No limit is given, or one is out of range.
        MissingDependency: python-chess is not installed.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        nodes: int | None = None,
        movetime_ms: float | None = None,
        depth: int | None = None,
        mate: int | None = None,
        limit: Limit | None = None,
        options: Mapping[str, Any] | None = None,
        timeout_s: float = 60.0,
        start_timeout_s: float = 60.0,
        parallel: int | None = None,
        name: str | None = None,
    ) -> None:
        require_chess()
        self.command = find_engine(command)
        ends = {"nodes": nodes, "movetime_ms": movetime_ms, "depth": depth, "mate": mate}
        self.limit = _limit(limit, ends)
        chess_limit(self.limit)
        self.options = dict(options or {})
        self.timeout_s = _positive("timeout_s", timeout_s)
        self.start_timeout_s = _positive("start_timeout_s", start_timeout_s)
        self.parallel = _parallel(self.options) if parallel is None else parallel
        if isinstance(self.parallel, bool) or self.parallel < 1:
            message = f"parallel={parallel!r}: expected a whole number from 1"
            raise InvalidConfig(message)
        self.name = f"{Path(self.command[0]).stem} ({self.limit})" if name is None else name
        self._pool: EnginePool | None = None
        self._called: EngineSession | None = None

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The action for ``info["state"]``, in one long game.

        Raises:
            EngineFailed: The engine cannot be started, or does not play the game.
            GameForfeited: It ended, did not answer in time, or answered with an illegal move.
            InvalidState: ``info`` has no state.
        """
        if self._called is None:
            self._called = self.session(0)
        return self._called.act(state_in(info, self.name))

    def session(self, seed: int) -> "EngineSession":
        """One game; engines do not take seeds."""
        if self._pool is None or not self._pool.is_open:  # a fork cannot use its parent's
            self._pool = self.open_pool()
        return EngineSession(self, self._pool, self.limit)

    def seats(
        self, game: games.Game, *, limit: Limit | None = None, **options: Any
    ) -> "EngineSeats":
        """Many games at once; ``limit`` replaces the agent's own.

        Raises:
            EngineFailed: The engine cannot be started, has not the options, or does not play the
                game.
            InvalidConfig: The game is none that engines play, or the limit none that they know.
        """
        from phasezoo.agents.engine_seats import EngineSeats  # which is made of sessions

        return EngineSeats(self, game, self.limit if limit is None else limit)

    def open_pool(self) -> EnginePool:
        """New processes, none of which is started yet."""
        return EnginePool(
            self.command,
            self.options,
            parallel=self.parallel,
            start_seconds=self.start_timeout_s,
        )

    def close(self) -> None:
        """End the processes of its sessions; the agent can go on with new ones."""
        if self._pool is not None:
            self._pool.close()
        self._pool = self._called = None

    def __enter__(self) -> "EngineAgent":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """The configuration: a copy has processes of its own."""
        return self.__dict__ | {"_pool": None, "_called": None}

    def __repr__(self) -> str:
        return f"EngineAgent({self.command!r}, limit={self.limit}, options={self.options})"


class EngineSession:
    """One game of an :class:`EngineAgent`; a copy goes on with a process of its own."""

    def __init__(self, agent: EngineAgent, pool: EnginePool, limit: Limit) -> None:
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

    def submit(self, state: Any) -> "Future[Move]":
        """Start thinking about ``state``.

        Raises:
            InvalidConfig: The state is of no game that engines play.
        """
        if self._pool is None:
            self._pool = self._agent.session(0)._pool
        assert self._pool is not None
        return self._pool.submit(self._think(self._pool, state, board_of(state)))

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

    async def _think(self, pool: EnginePool, state: Any, board: "chess.Board") -> Move:
        import chess.engine

        limit = chess_limit(self._limit)
        seconds = self._agent.timeout_s + (limit.time or limit.white_clock or 0.0)
        async with pool.turns:
            await self.check(pool, board)
            engine = self._engine
            assert engine is not None
            try:
                played = await engine.play(board, limit, self._game, seconds)
                return _move(state, played)
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
    """The state as a board of python-chess, with the moves that led to it.

    Raises:
        InvalidConfig: Its game is none of these.
    """
    if not hasattr(state, "board"):
        message = f"UCI engines play chess and its variants, not {games.game_of(state).name!r}"
        raise InvalidConfig(message)
    board: chess.Board = state.board()
    return board


def _move(state: Any, played: "chess.engine.PlayResult") -> Move:
    """The answer of an engine.

    Raises:
        ValueError: It is no legal move.
    """
    if played.move is None:
        message = "it answered with no move"
        raise ValueError(message)
    score = played.info.get("score")
    return Move(
        int(state.parse_uci(played.move.uci())),
        value=None if score is None else _value(score.relative),
        nodes=int(played.info.get("nodes", 0)),
        depth=int(played.info.get("depth", 0)),
    )


def _value(score: "chess.engine.Score") -> float:
    """A score for the player to move, in [-1, 1]."""
    centipawns = score.score()
    if centipawns is None:
        return 1.0 if (score.mate() or -1) > 0 else -1.0
    return value_of_centipawns(centipawns)


def chess_limit(limit: Limit) -> "chess.engine.Limit":
    """A limit as python-chess has it.

    Raises:
        InvalidConfig: Engines do not know such a limit.
    """
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


def _limit(limit: Limit | None, ends: Mapping[str, Any]) -> Limit:
    """The limit of a move.

    Raises:
        InvalidConfig: There is none, or two say the same.
    """
    given = {name: value for name, value in ends.items() if value is not None}
    if limit is not None and given:
        message = f"{next(iter(given))}= and limit= say the same thing: give one"
        raise InvalidConfig(message)
    if limit is None and not given:
        message = "an engine needs to know how long to think: give nodes=, movetime_ms= or depth="
        raise InvalidConfig(message)
    return Limit(**given) if limit is None else checked_limit(limit)


def _positive(option: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        message = f"{option}={value!r}: expected a number above 0"
        raise InvalidConfig(message)
    return float(value)


def _parallel(options: Mapping[str, Any]) -> int:
    """How many engines the cores are enough for; the options are checked when one starts."""
    threads = next((value for key, value in options.items() if key.lower() == "threads"), 1)
    is_whole = str(threads).isdecimal() and int(threads) > 0
    return max(1, usable_cores() // int(threads)) if is_whole else 1
