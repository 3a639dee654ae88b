"""A target of fuzzing: how its inputs are drawn, what reads them, and which errors it may raise."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any


@dataclass(frozen=True)
class Target:
    """A parser.

    Attributes:
        draw: Makes an input; equal generators make equal inputs.
        read: Reads it, and checks what it read: an ``AssertionError`` is a finding.
        promised: The errors that the documentation promises for bad input.
        close: Ends what the parser has started.
        texts: How many lines or messages an input has.
    """

    draw: Callable[[Random], Any]
    read: Callable[[Any], object]
    promised: tuple[type[Exception], ...]
    close: Callable[[], object] = lambda: None
    texts: Callable[[Any], int] = lambda given: 1
