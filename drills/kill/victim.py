"""Work to be killed: how it runs, and the files that it leaves."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Finished = Callable[[], object]
"""Called whenever a part of the work is finished for good."""


@dataclass(frozen=True)
class Victim:
    """Work that goes on where it was stopped.

    Attributes:
        run: Does all of the work that is left in a directory.
        left: What runs that are the same have in common, by name.
        kept: How many finished parts are on the disk.
        warm: Imports what a child then need not import, and starts no threads.
    """

    run: Callable[[Path, Finished], object]
    left: Callable[[Path], dict[str, bytes]]
    kept: Callable[[Path], int] = lambda _: 0
    warm: Callable[[], object] = lambda: None
