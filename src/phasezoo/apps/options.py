"""Command-line options from dataclasses: tyro reads them, errors become one sentence."""

import contextlib
import io
import re
from collections.abc import Sequence
from typing import TypeVar

import tyro

from phasezoo.errors import InvalidConfig

__all__ = ["parse"]

T = TypeVar("T")

_FRAME = re.compile(r"[╭╮╰╯│─┌┐└┘├┤━┃]+")
_HINTS = ("For full helptext", "Argument helptext")


def parse(kind: type[T], arguments: Sequence[str], program: str, default: T | None = None) -> T:
    """Read options into a value of ``kind``; ``--help`` prints them and ends the program.

    Args:
        kind: A dataclass; its fields are the options, its docstrings their help.
        arguments: What was typed after the command.
        program: The command, for messages.
        default: Where values that were not typed come from; default the dataclass.

    Raises:
        InvalidConfig: An option is unknown, missing or ill-formed.
    """
    complaints = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaints):
            if default is None:
                return tyro.cli(kind, prog=program, args=list(arguments))
            return tyro.cli(kind, prog=program, args=list(arguments), default=default)
    except SystemExit as end:
        if end.code in (0, None):
            raise
        message = f"{_sentence(complaints.getvalue())} (see {program} --help)"
        raise InvalidConfig(message) from None


def _sentence(framed: str) -> str:
    """Tyro's framed complaint as one line: what is wrong, without frame, title and hints."""
    parts: list[str] = []
    for line in framed.splitlines():
        if line.startswith(("╭", "┌")):
            continue  # the title, such as "Value error"
        text = _FRAME.sub(" ", line).strip()
        if text.startswith(_HINTS):
            break
        if text:
            parts.append(text)
    joined = re.sub(r"\s+", " ", " ".join(parts)).strip().rstrip(".")
    return joined or "the options cannot be read"
