"""The games that a command is told of: a folder, a file, or those in the package."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phasezoo.training.store import GameStore

__all__ = ["open_games"]

SAMPLE = "sample"
"""What games in the package are named by: ``sample:krk``; ``sample`` alone is chess."""


def open_games(name: str | Path) -> "GameStore":
    """The games that are named.

    Raises:
        StoreError: There are none, or they cannot be read.
    """
    from phasezoo.training.store import GameStore

    kind, _, game = str(name).partition(":")
    if kind == SAMPLE and not Path(name).exists():
        return GameStore.sample(game or "chess")
    return GameStore.open(name)
