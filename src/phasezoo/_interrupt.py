"""Ctrl-C while the command imports modules."""

import os
import signal
import sys
from pathlib import Path
from types import FrameType

__all__ = ["watch"]

STOPPED = 130

_NAME = "phasezoo"
_IMPORTS = "<frozen importlib._bootstrap>"


def watch() -> None:
    """Let Ctrl-C end the command ``phasezoo`` at once if it comes while a module is imported.

    The traceback would tell nobody anything, and some packages catch the exception and go on.
    Other programs, and commands that were told to ignore Ctrl-C, are left as they are.
    """
    if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)


def _is_command() -> bool:
    """Whether this program is the command, as a script or as ``python -m phasezoo``."""
    name = next(iter(getattr(sys, "argv", ())), "")
    if name == "-m":  # what it is until the module has been found
        return sys.orig_argv[-len(sys.argv) :][:1] == [_NAME]
    return Path(name).name in (_NAME, f"{_NAME}.exe")


def _stop(number: int, frame: FrameType | None) -> None:
    caller = frame
    while caller is not None:
        if caller.f_code.co_filename == _IMPORTS:
            os._exit(STOPPED)
        caller = caller.f_back
    signal.default_int_handler(number, frame)
