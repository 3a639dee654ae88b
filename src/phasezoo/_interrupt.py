"""Handling of Ctrl-C and SIGTERM by the command, also while it imports modules."""

import atexit
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType

PATIENCE = 1.0
"""Seconds in which Ctrl-C after the first does nothing."""

_NAME = "phasezoo"
_WRITERS = ("reproduce", "train", "selfplay", "match", "tournament", "generalise", "data import")
"""Commands that leave something."""

_WORKER = "--multiprocessing-fork"
"""An argument of processes that the command has started."""

_IMPORTS = "<frozen importlib._bootstrap>"


_SHOW_CURSOR = "\x1b[?25h"
"""Progress bars hide it."""

_lines: list[Callable[[], str | None]] = []

_is_said = _has_line = False
"""Whether it was said how the command ended, and whether there was a line to say."""

_stopped_at: float | None = None
"""When a signal came first."""

_stopped_by = signal.SIGINT
"""Which one it was."""

_is_done = False
"""Whether the command has done its work, and only Python's own end is left."""


@contextlib.contextmanager
def saying(line: Callable[[], str | None]) -> Iterator[None]:
    """Say a line if Ctrl-C ends what is done meanwhile, such as how to go on.

    The line is said too if the reader of the output has left.

    Args:
        line: Asked for it then; None for nothing. Of nested ones the innermost is said.
    """
    global _is_said, _has_line
    _is_said = _has_line = False
    _lines.append(line)
    try:
        yield
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) or reader_has_left(error):
            _say()
        raise
    finally:
        _lines.pop()


def reader_has_left(error: BaseException) -> bool:
    """Whether an error says that nobody reads the output; rich ends the program for it."""
    cause = error.__context__ if isinstance(error, SystemExit) else error
    is_own_code = hasattr(error, "__notes__")  # which say where it failed
    return isinstance(cause, BrokenPipeError) and not is_own_code


def done() -> None:
    """The command has done its work: the first Ctrl-C from now on interrupts nobody's clean-up."""
    global _is_done
    _is_done = True


def stopped() -> int:
    """Return the exit code of a command that a signal has ended: 130 after Ctrl-C."""
    return 128 + _stopped_by


def was_said() -> bool:
    """Whether a line was said of how to go on."""
    return _has_line


def nothing_written(out: object = None) -> str | None:
    """Say that a command which leaves something ended before it wrote anything."""
    if out is not None:
        return f"Stopped before anything was written to {out}; the same command begins again."
    command = " ".join(sys.argv[1:3])
    return "Stopped before anything was written." if command.startswith(_WRITERS) else None


def continuing(out: "os.PathLike[str]", begun: str, how: str) -> Callable[[], str]:
    """Return a line for :func:`saying`: how a command that leaves something goes on.

    Args:
        out: Where it writes.
        begun: File or folder there that exists as soon as something is kept; empty: ``out`` itself.
        how: The sentence that says so.
    """

    def line() -> str:
        if os.path.exists(os.path.join(out, begun)):  # noqa: PTH110, PTH118 - see is_command
            return f"Stopped. {how}"
        return str(nothing_written(out))

    return line


def _say() -> None:
    global _is_said, _has_line
    if _is_said or _WORKER in sys.orig_argv:  # Ctrl-C reaches all; the command itself speaks
        return
    _is_said = True
    text = (_lines[-1] if _lines else nothing_written)()
    if text:
        _has_line = True
        sys.stderr.write(f"\n{text}\n")
        sys.stderr.flush()


def watch() -> None:
    """Let Ctrl-C end the command ``phasezoo`` at once if it comes while a module is imported.

    The traceback would help nobody, and some packages catch the exception and go on. What
    works in steps survives that, as it survives a kill. Once Ctrl-C was pressed, pressing it again
    within :data:`PATIENCE` seconds changes nothing, so that what has to be put away is; later it
    ends the command at once. SIGTERM, by which schedulers and containers end a program, is as
    Ctrl-C. Other programs, the command's own workers, and commands that are set to ignore a signal
    are left as they are.
    """
    if not is_command():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL and _WORKER not in sys.orig_argv:
        signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
        # Python gives the signal back to the system at its end, which would kill it then.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def is_command(subcommand: str | None = None) -> bool:
    """Whether this program is the command, as a script or as ``python -m phasezoo``.

    Args:
        subcommand: Which of its commands; None: any.
    """
    name = next(iter(getattr(sys, "argv", ())), "")
    # Not by pathlib: loading that takes a while in which Ctrl-C is not watched for.
    program = os.path.basename(name).removesuffix(".exe")  # noqa: PTH119
    if program == f"{_NAME}-uci":
        return subcommand in (None, "uci")
    if subcommand is not None and sys.argv[1:2] != [subcommand]:
        return False
    if name == "-m":  # what it is until the module has been found
        return sys.orig_argv[-len(sys.argv) :][:1] == [_NAME]
    return program == _NAME


def _stop(number: int, frame: FrameType | None) -> None:
    global _stopped_at, _stopped_by
    now = time.monotonic()
    if _stopped_at is not None:
        if now - _stopped_at >= PATIENCE:
            os._exit(stopped())
        return
    _stopped_by = signal.Signals(number)
    if _is_done:
        _stopped_at = now
        return
    caller = frame
    while caller is not None:
        if caller.f_code.co_filename == _IMPORTS:
            _say()
            if sys.stderr.isatty():
                sys.stderr.write(_SHOW_CURSOR)
            os._exit(stopped())
        caller = caller.f_back
    _stopped_at = now
    signal.default_int_handler(number, frame)
