"""The command ``phasezoo``: finds the sub-command, runs it, turns errors into one line and a code.

Exit codes: 0 done, 1 the work failed, 2 the command was wrong, 130 stopped by Ctrl-C.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata

from phasezoo.errors import (
    InvalidConfig,
    InvalidFen,
    InvalidGate,
    InvalidPlaneSpec,
    PhasezooError,
    UnknownGame,
)

__all__ = ["COMMANDS", "Command", "main"]

DONE, FAILED, USAGE, STOPPED = 0, 1, 2, 130

_WRONG_COMMAND = (InvalidConfig, InvalidFen, InvalidGate, InvalidPlaneSpec, UnknownGame)
"""Errors that lie in what was typed; all others lie in the work."""


@dataclass(frozen=True)
class Command:
    """A sub-command: its words, what it does, and the module whose ``NAME(arguments)`` runs it."""

    words: tuple[str, ...]
    summary: str
    module: str
    function: str = "main"


COMMANDS = (
    Command(
        ("reproduce", "m2cts"),
        "train phase experts, play M2CTS against MCTS, write a report",
        "phasezoo.apps.reproduce_command",
    ),
    Command(
        ("reproduce", "krk"),
        "play king and rook against king with UCT over many settings, write a report",
        "phasezoo.apps.reproduce_command",
        "krk_main",
    ),
    Command(
        ("data", "import"),
        "PGN to a games store",
        "phasezoo.apps.data_commands",
        "import_main",
    ),
    Command(
        ("data", "phases"),
        "games and positions per phase of a games store",
        "phasezoo.apps.data_commands",
        "phases_main",
    ),
    Command(("perft",), "count positions to a depth", "phasezoo.apps.perft_command"),
    Command(("doctor",), "versions, backends, devices, threads", "phasezoo.apps.doctor"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: What follows the program's name; default ``sys.argv[1:]``.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return STOPPED
    except BrokenPipeError:
        # The reader has left, as in `phasezoo … | head`; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except PhasezooError as error:
        sys.stderr.write(f"phasezoo: {' '.join(str(error).split())}\n")
        return USAGE if isinstance(error, _WRONG_COMMAND) else FAILED
    return code


def _run(given: list[str]) -> int:
    if not given or given[0] in ("-h", "--help", "help"):
        sys.stdout.write(_help())
        return DONE
    if given[0] in ("-V", "--version"):
        sys.stdout.write(f"phasezoo {metadata.version('phasezoo')}\n")
        return DONE
    command = _find(given)
    if command is None:
        return _refuse_words(given)
    rest = given[len(command.words) :]
    function = getattr(importlib.import_module(command.module), command.function)
    return int(function(rest))


def _find(given: list[str]) -> Command | None:
    for command in COMMANDS:
        if tuple(given[: len(command.words)]) == command.words:
            return command
    return None


def _refuse_words(given: list[str]) -> int:
    """Say which sub-commands there are, for a group alone or for a word that is none."""
    group = [c for c in COMMANDS if c.words[0] == given[0] and len(c.words) > 1]
    if group and (len(given) == 1 or given[1] in ("-h", "--help")):
        sys.stdout.write(_help(group))
        return DONE if len(given) > 1 else USAGE
    allowed = ", ".join(" ".join(c.words) for c in group or COMMANDS)
    typed = " ".join(given[:2] if group else given[:1])
    message = f"{typed!r} is not a command; there are {allowed} (see phasezoo --help)"
    raise InvalidConfig(message)


def _help(commands: Sequence[Command] = COMMANDS) -> str:
    width = max(len(" ".join(c.words)) for c in COMMANDS)
    lines = [f"  {' '.join(c.words).ljust(width)}   {c.summary}" for c in commands]
    head = (
        "usage: phasezoo COMMAND [OPTIONS]\n\nGame environments and agents for research on "
        "phase-aware play.\n\ncommands:\n"
    )
    tail = "\n\noptions of every command: phasezoo COMMAND --help\nversion: phasezoo --version\n"
    return head + "\n".join(lines) + tail
