"""What is killed: how it runs, and what it leaves behind."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Victim"]


@dataclass(frozen=True)
class Victim:
    """Work that goes on where it was stopped.

    Attributes:
        run: Does all of the work that is left in a directory; calls the second argument whenever a
            part of it is finished for good.
        left: What runs that are the same have in common, by name.
        kept: How many finished parts are on the disk.
        warm: Imports what a child then need not import, and starts no threads.
    """

    run: Callable[[Path, Callable[[], None]], object]
    left: Callable[[Path], dict[str, bytes]]
    kept: Callable[[Path], int] = lambda _: 0
    warm: Callable[[], object] = lambda: None
