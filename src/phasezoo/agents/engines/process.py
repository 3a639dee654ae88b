"""One process of a UCI engine, spoken with on an event loop through python-chess."""

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phasezoo.errors import EngineFailed, needs
from phasezoo.games.options import is_file
from phasezoo.specs import unknown_option
from phasezoo.specs.text import one_line

if TYPE_CHECKING:
    import chess
    import chess.engine

MORE_FOLDERS = ("/usr/games", "/usr/local/games", "/usr/local/bin", "/opt/homebrew/bin")
"""Where systems put engines that ``PATH`` may lack; Debian's Stockfish is in the first."""

QUIT_SECONDS = 1.0
"""Time that an engine has to end by itself."""

INSTALL = (
    "install one (Debian and Ubuntu: apt install stockfish; macOS: brew install stockfish; "
    "elsewhere: stockfishchess.org) or give the path of its program"
)


def require_chess() -> None:
    """Make sure that python-chess can be imported."""
    with needs("engines need python-chess", "chess"):
        import chess.engine  # noqa: F401


def find_engine(command: str | Sequence[str]) -> list[str]:
    """The words of a command, its program as a path."""
    if isinstance(command, str):
        words = [command] if is_file(command) else _split(command)
    else:
        words = [str(word) for word in command]
    if not words:
        message = f"command={command!r}: expected the program of an engine, such as 'stockfish'"
        raise EngineFailed(message)
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *MORE_FOLDERS))
    found = shutil.which(words[0], path=path)
    if found is None:
        message = f"{words[0]!r}: no such engine here: {INSTALL}"
        raise EngineFailed(message)
    return [str(Path(found).absolute()), *words[1:]]


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        message = f"command={command!r}: {error}; quote words as a shell has them"
        raise EngineFailed(message) from error


class Engine:
    """A running engine. All methods are called on the loop that started it."""

    def __init__(self, transport: asyncio.SubprocessTransport, protocol: Any, program: str) -> None:
        self._transport = transport
        self._protocol: chess.engine.UciProtocol = protocol
        self._program = program

    @classmethod
    async def start(
        cls, command: Sequence[str], options: Mapping[str, Any], seconds: float
    ) -> "Engine":
        """Start a process and set its options.

        Args:
            command: The words of the command.
            options: UCI options by name.
            seconds: Time that it has to say what it is.

        Raises:
            EngineFailed: It cannot be started, says nothing or ends, or has not these options.
        """
        import chess.engine

        from phasezoo.agents.engines.protocol import EngineProtocol

        try:
            transport, protocol = await EngineProtocol.popen(
                list(command), setpgrp=True, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            message = f"{command[0]}: cannot be started ({error.strerror}); is it a program?"
            raise EngineFailed(message) from error
        protocol.program = shlex.join(command)
        engine = cls(transport, protocol, command[0])
        try:
            await asyncio.wait_for(protocol.initialize(), seconds)
            engine._check_options(options)
            await protocol.configure(dict(options))
            # What it loads by then (a network, tables) is no time of its first move.
            await asyncio.wait_for(protocol.ping(), seconds)
        except TimeoutError as error:
            await engine.kill()
            awaited = "readyok" if protocol.initialized else "uciok"
            message = f"{command[0]}: no {awaited} within {seconds:g} s; is it a UCI engine?"
            raise EngineFailed(message) from error
        except chess.engine.EngineError as error:
            await engine.kill()
            message = f"{command[0]}: {error}"
            raise EngineFailed(message) from error
        except BaseException:
            await engine.kill()
            raise
        return engine

    @property
    def name(self) -> str:
        """The engine's name by its own account."""
        return one_line(self._protocol.id.get("name", "")) or Path(self._program).name

    @property
    def is_running(self) -> bool:
        """Whether its process has not ended."""
        return self._transport.get_returncode() is None

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._transport.get_pid()

    def check_variant(self, board: "chess.Board") -> None:
        """Refuse a game that the engine does not play.

        Raises:
            EngineFailed: It does not know the board's variant.
        """
        variant = type(board).uci_variant
        option = self._protocol.options.get("UCI_Variant")
        known = ["chess"] if option is None else list(option.var or ())
        if variant not in known:
            message = (
                f"{self.name} does not play {variant}: its UCI_Variant knows {', '.join(known)}; "
                "take an engine that does, such as Fairy-Stockfish"
            )
            raise EngineFailed(message)
        if board.chess960 and "UCI_Chess960" not in self._protocol.options:
            message = f"{self.name} does not play chess960: it has no option UCI_Chess960"
            raise EngineFailed(message)

    async def play(
        self, board: "chess.Board", limit: "chess.engine.Limit", game: object, seconds: float
    ) -> "chess.engine.PlayResult":
        """The engine's move after all moves of ``board``.

        Args:
            board: The position, with the moves that led to it.
            limit: How long the engine thinks.
            game: Another object than before begins a new game.
            seconds: When to give up.

        Raises:
            TimeoutError: It has not answered by then.
            chess.engine.EngineError: The engine ended, or answered with an illegal move.
        """
        import chess.engine

        wanted = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE
        playing = self._protocol.play(board, limit, game=game, info=wanted)
        return await asyncio.wait_for(playing, seconds)

    async def quit(self) -> None:
        """Ask the engine to end, and end it if it does not."""
        if not self._protocol.returncode.done():
            with contextlib.suppress(Exception):  # a pipe that is closed already
                self._protocol.send_line("quit")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._protocol.returncode), QUIT_SECONDS)
        await self.kill()

    async def kill(self) -> None:
        """End the process, and those that it has started, at once."""
        if not self._protocol.returncode.done():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if hasattr(os, "killpg"):
                    os.killpg(self.pid, signal.SIGKILL)
                else:
                    self._transport.kill()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._protocol.returncode), QUIT_SECONDS)
        self._transport.close()

    def _check_options(self, options: Mapping[str, Any]) -> None:
        import chess.engine

        known = self._protocol.options
        for name, value in options.items():
            if name not in known:
                raise chess.engine.EngineError(unknown_option(name, self.name, list(known)))
            if known[name].is_managed():
                message = f"{name!r}: is set by the game that is played; leave it out"
                raise chess.engine.EngineError(message)
            known[name].parse(value)
