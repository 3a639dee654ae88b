"""The program ``phasezoo``: runs a command, and turns errors into one line and a code.

Exit codes: 0 done, 1 the work failed or the reader of the output left before its end, 2 the command
was wrong, 130 stopped by Ctrl-C, 143 by SIGTERM.
"""

import io
import os
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TextIO

import phasezoo
from phasezoo._interrupt import done, nothing_written, reader_has_left, saying, stopped, was_said
from phasezoo.apps.command_line import PLUGIN, CommandLine, output
from phasezoo.errors import (
    InvalidConfig,
    InvalidFen,
    InvalidGate,
    InvalidPlaneSpec,
    NotRegistered,
    PhasezooError,
    UnknownGame,
)

DONE, FAILED, USAGE = 0, 1, 2

_WRONG_COMMAND = (InvalidConfig, InvalidFen, InvalidGate, InvalidPlaneSpec, UnknownGame)
"""Errors that lie in what was typed; all others lie in the work."""

_LONGEST = 200
"""Letters of a word in a message."""

_PLACES = (
    str(Path(phasezoo.__file__).parent),
    *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")),
    "<",
)
"""Beginnings of the names of files whose code is no user's own."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: What follows the program's name; default ``sys.argv[1:]``.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal of another encoding ends no run
            stream.reconfigure(errors="replace")
    if not given or given == ["help"]:
        given = ["--help"]
    try:
        with saying(nothing_written), warnings.catch_warnings():
            warnings.showwarning = _warn
            code = _run(given)
        sys.stdout.flush()
        done()
    except KeyboardInterrupt:
        return stopped()
    except PhasezooError as error:
        _complain(_explained(error))
        return USAGE if isinstance(error, _WRONG_COMMAND) else FAILED
    except (Exception, SystemExit) as error:
        text = _of_own_code(error)
        if text is not None:
            _complain(text)
            return FAILED
        if reader_has_left(error):  # as in `phasezoo … | head`
            _close_output()
            return FAILED if was_said() else DONE
        if isinstance(error, OSError):
            return _of_the_system(error)
        raise
    return code


def uci_main() -> int:
    """Run ``phasezoo uci`` as a program of its own, for interfaces that give no arguments."""
    return main(["uci", *sys.argv[1:]])


def _open_streams() -> None:
    """Let standard streams that are closed, as those of a daemon, end nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def _of_the_system(error: OSError) -> int:
    """Say what the system refused; errors of the disk that name no file are of the output."""
    from phasezoo.runs.files import is_full

    if error.filename is not None:
        sys.stderr.write(f"phasezoo: {_shorten(str(error.filename))}: {error.strerror}\n")
        return FAILED
    if not is_full(error):
        raise error
    _close_output()
    sys.stderr.write(f"phasezoo: standard output: {error.strerror}; free some space, then again\n")
    return FAILED


def _close_output() -> None:
    """Let standard output end nowhere; Python would complain about it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(given: list[str]) -> int:
    if given[0] in ("-V", "--version"):
        sys.stdout.write(f"phasezoo {metadata.version('phasezoo')}\n")
        return DONE
    line = CommandLine.read(given)
    command = line.command()
    if isinstance(command, str):
        sys.stdout.write(command)
        sys.stdout.flush()
        raise SystemExit(DONE)
    with output(line):
        return command.run()


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """One line of a warning, as of an error."""
    _complain(f"warning: {message}")


def _explained(error: BaseException) -> str:
    """The error's words; a name that may be of one's own needs the module that registers it."""
    text, cause = "; ".join([str(error), *getattr(error, "__notes__", ())]), error
    while not isinstance(cause, NotRegistered):
        reason = cause.__cause__ or cause.__context__
        if reason is None:
            return text
        cause = reason
    if PLUGIN in text:
        return text
    return f"{text}; {PLUGIN} MODULE imports a module, or file, that registers one of your own"


def _of_own_code(error: BaseException) -> str | None:
    """The error of a user's own game, gate or agent, and its place; None if it was other code."""
    notes = [note for note in getattr(error, "__notes__", ()) if note.startswith("raised ")]
    last = traceback.extract_tb(error.__traceback__)[-1]
    if not notes and last.filename.startswith(_PLACES):
        return None
    place = f"{last.filename}, line {last.lineno}"
    return "; ".join([f"{place}: {type(error).__name__}: {error}", *notes])


def _complain(text: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(f"phasezoo: {_shorten(' '.join(text.split()))}\n")


def _shorten(text: str) -> str:
    """Cut words, such as paths, that are too long to be read."""
    return " ".join(w if len(w) <= _LONGEST else f"{w[:40]}…{w[-40:]}" for w in text.split(" "))
