"""A minimal UCI client: one engine process, one pipe, fixed node limits.

python-chess's engine layer costs about as much per call as a thousand-node search, because it
runs an event loop and re-validates every line of analysis. Millions of short searches need only
the last score and the first move of each line, so this client parses nothing else.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Self

MATE_SCORE = 30_000
"""Centipawns of a mate on the board; a mate in n moves scores n less, so quicker is better."""


class EngineError(RuntimeError):
    """The engine could not be started, or its process ended while an answer was awaited."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of analysis.

    Attributes:
        move: First move of the line in UCI notation; empty when the position has no legal move.
        score: Centipawns from the view of the player to move; mates as `MATE_SCORE` less moves.
    """

    move: str
    score: int


def _score(words: Sequence[str]) -> int:
    """Reads the score of an `info` line that has been split at blanks."""
    at = words.index("score")
    value = int(words[at + 2])
    if words[at + 1] == "cp":
        return value
    return MATE_SCORE - value if value > 0 else -MATE_SCORE - value


def _number_after(words: Sequence[str], key: str, default: int) -> int:
    """Reads the integer that follows `key` in an `info` line, or `default` if it is absent."""
    return int(words[words.index(key) + 1]) if key in words else default


class Engine:
    """A UCI engine process with one search thread.

    One thread and node limits make its answers a function of what was sent since `new_game`.

    Args:
        path: Executable of the engine.
        hash_mb: Size of the transposition table in MiB.
        chess960: Whether castling is written as the king that takes its rook.

    Raises:
        EngineError: The executable is missing or does not speak UCI.
    """

    def __init__(self, path: str, hash_mb: int = 1, *, chess960: bool = False) -> None:
        try:
            self._process = subprocess.Popen(
                [path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        except OSError as error:
            message = f"cannot start the engine {path!r} ({error}); install it or pass --engine"
            raise EngineError(message) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in: IO[str] = self._process.stdin
        self._out: IO[str] = self._process.stdout
        self._lines = 1
        self.name = "unknown"
        self._send("uci")
        while (line := self._receive()) != "uciok":
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ")
        self._send(f"setoption name Hash value {hash_mb}", "setoption name Threads value 1")
        if chess960:
            self._send("setoption name UCI_Chess960 value true")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _send(self, *commands: str) -> None:
        try:
            self._in.write("\n".join(commands) + "\n")
            self._in.flush()
        except BrokenPipeError as error:
            message = f"the engine {self.name} closed its input"
            raise EngineError(message) from error

    def _receive(self) -> str:
        line = self._out.readline()
        if not line:
            message = f"the engine {self.name} ended with code {self._process.wait()}"
            raise EngineError(message)
        return line.rstrip()

    def new_game(self) -> None:
        """Forgets all that was searched, so that a game does not depend on the ones before it."""
        self._send("ucinewgame", "isready")
        while self._receive() != "readyok":
            pass

    def search(
        self,
        moves: Sequence[str],
        nodes: int,
        *,
        lines: int = 1,
        only: Sequence[str] = (),
        start: str | None = None,
    ) -> list[Line]:
        """Searches the position after `moves` from the start.

        Args:
            moves: UCI moves from the start.
            nodes: Node limit.
            lines: Number of best moves wanted (MultiPV).
            only: If given, root moves to choose among.
            start: FEN of the start; the initial position of standard chess by default.

        Returns:
            At most `lines` lines, best first; one `Line` with an empty move at mate or stalemate.
        """
        if lines != self._lines:
            self._send(f"setoption name MultiPV value {lines}")
            self._lines = lines
        go = f"go nodes {nodes}" + (" searchmoves " + " ".join(only) if only else "")
        position = "position startpos" if start is None else f"position fen {start}"
        self._send(position + " moves " + " ".join(moves) if moves else position, go)
        found: dict[int, Line] = {}
        while not (text := self._receive()).startswith("bestmove"):
            if " score " in text:
                words = text.split()
                first = words[words.index("pv") + 1] if "pv" in words else ""
                found[_number_after(words, "multipv", 1)] = Line(first, _score(words))
        if lines > 1 and found:
            return [found[rank] for rank in sorted(found)]
        best = text.split()[1]
        return [Line("" if best == "(none)" else best, found[1].score if found else 0)]

    def close(self) -> None:
        """Ends the process."""
        if self._process.poll() is None:
            self._send("quit")
            self._process.wait(timeout=10)
        self._in.close()
        self._out.close()
