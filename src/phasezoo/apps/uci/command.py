"""``phasezoo uci``: a UCI engine on standard input and output."""

import contextlib
import gc
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from io import TextIOWrapper
from typing import TextIO

from phasezoo.apps.uci.engine import Engine

__all__ = ["DEFAULT_AGENT", "UciOptions"]

DEFAULT_AGENT = "mcts:net=phasezoo/chess-small,batch_size=16"
"""The package's network of chess."""


@dataclass(frozen=True)
class UciOptions:
    """Play chess and its variants as a UCI engine, for graphical interfaces and servers."""

    agent: str = DEFAULT_AGENT
    """Who plays, as a short text, such as "m2cts:experts=runs/x,batch_size=16"; the page
    docs/howto/engine.md tells how options of the interface change it."""

    def run(self) -> int:
        """Answer standard input until ``quit`` or its end."""
        version = metadata.version("phasezoo")
        engine = Engine(self.agent, _writer(sys.stdout), version, _keep_all)
        try:
            for line in _lines(sys.stdin):
                if not engine.handle(line):
                    break
        finally:
            engine.close()
        return 0


def _lines(source: TextIO) -> Iterator[str]:
    if isinstance(source, TextIOWrapper):
        source.reconfigure(errors="replace")
    return iter(source.readline, "")


def _keep_all() -> None:
    """Let the garbage collector pass over what was loaded.

    Looking through all of it, which it does now and then, takes tens of milliseconds in which no
    thread can answer.
    """
    gc.collect()
    gc.freeze()


def _writer(out: TextIO) -> Callable[[str], None]:
    """Writes lines at once; an interface that has left is told nothing."""

    def write(text: str) -> None:
        with contextlib.suppress(BrokenPipeError, ValueError):
            out.write(f"{text}\n")
            out.flush()

    return write
