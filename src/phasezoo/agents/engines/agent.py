"""Chess engines from outside as agents."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Interval

from phasezoo import games
from phasezoo.agents.base import DeprecatedSeats, state_in
from phasezoo.agents.engines.pool import EnginePool
from phasezoo.agents.engines.process import find_engine, require_chess
from phasezoo.agents.engines.session import EngineSession, chess_limit
from phasezoo.agents.engines.session_pool import EngineSessionPool
from phasezoo.agents.limit import Limit, checked_limit
from phasezoo.errors import InvalidConfig
from phasezoo.runs.provenance import usable_cores
from phasezoo.specs import PositiveInt, check_arguments

Seconds = Annotated[float, Interval(gt=0, lt=1e9)]


class EngineAgent(DeprecatedSeats):
    """Plays what a UCI engine answers, in the games that python-chess knows.

    These are chess, chess960, and by the engine's ``UCI_Variant`` atomic chess and crazyhouse. The
    engine receives the start and all moves since, so that it sees repetitions. Every game has a
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
        limit: The same as a limit, which may have a clock too. In matches it runs; elsewhere every
            move has all of it.
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
        timeout_s: Seconds = 60.0,
        start_timeout_s: Seconds = 60.0,
        parallel: PositiveInt | None = None,
        name: str | None = None,
    ) -> None:
        require_chess()
        self.command = find_engine(command)
        ends = {"nodes": nodes, "movetime_ms": movetime_ms, "depth": depth, "mate": mate}
        self.limit = _limit(limit, ends)
        chess_limit(self.limit)
        self.options = dict(options or {})
        self.timeout_s = timeout_s
        self.start_timeout_s = start_timeout_s
        self.parallel = _parallel(self.options) if parallel is None else parallel
        check_arguments(self, "timeout_s", "start_timeout_s", "parallel")
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

    def session(self, seed: int) -> EngineSession:
        """One game; engines do not take seeds."""
        if self._pool is None or not self._pool.is_open:  # a fork cannot use its parent's
            self._pool = self.open_pool()
        return EngineSession(self, self._pool, self.limit)

    def session_pool(
        self, game: games.Game, *, limit: Limit | None = None, **options: Any
    ) -> EngineSessionPool:
        """Open a pool of games; ``limit`` replaces the agent's own.

        Raises:
            EngineFailed: The engine cannot be started, has not the options, or does not play the
                game.
            InvalidConfig: Engines do not play the game, or do not know the limit.
        """
        return EngineSessionPool(self, game, self.limit if limit is None else limit)

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


def _limit(limit: Limit | None, ends: Mapping[str, Any]) -> Limit:
    """The limit of a move."""
    given = {name: value for name, value in ends.items() if value is not None}
    if limit is not None and given:
        message = f"{next(iter(given))}= and limit= say the same thing: give one"
        raise InvalidConfig(message)
    if limit is None and not given:
        message = "an engine needs to know how long to think: give nodes=, movetime_ms= or depth="
        raise InvalidConfig(message)
    return Limit(**given) if limit is None else checked_limit(limit)


def _parallel(options: Mapping[str, Any]) -> int:
    """How many engines the cores are enough for; the options are checked when one starts."""
    threads = next((value for key, value in options.items() if key.lower() == "threads"), 1)
    is_whole = str(threads).isdecimal() and int(threads) > 0
    return max(1, usable_cores() // int(threads)) if is_whole else 1
