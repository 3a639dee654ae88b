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
from phasezoo.errors import PhasezooError

FAILED = 1


@dataclass(frozen=True)
class UciOptions:
    """Play chess and its variants as a UCI engine, for graphical interfaces and servers."""

    agent: str | None = None
    """Who plays, as a short text, such as "m2cts:experts=runs/x,batch_size=16"; default the
    package's network of the variant. The page docs/howto/engine.md says how options of the
    interface change it."""

    def run(self) -> int:
        """Answer standard input until ``quit``, its end, or an agent that cannot be loaded."""
        version = metadata.version("phasezoo")
        engine = Engine(self.agent, _writer(sys.stdout), version, _keep_all)
        try:
            for line in _lines(sys.stdin):
                if not engine.handle(line):
                    break
        finally:
            engine.close()
        if isinstance(engine.failure, PhasezooError):
            raise engine.failure
        if engine.failure is not None:  # of an agent of one's own
            text = f"phasezoo: {type(engine.failure).__name__}: {engine.failure}"
            sys.stderr.write(f"{' '.join(text.split())}\n")
            return FAILED
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
    """Return a function that writes lines at once, as long as the interface is there."""

    def write(text: str) -> None:
        with contextlib.suppress(BrokenPipeError, ValueError):
            out.write(f"{text}\n")
            out.flush()

    return write
