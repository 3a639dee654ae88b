"""Games that a command reads, and files that it may write."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from phasezoo.errors import StoreError

if TYPE_CHECKING:
    from phasezoo.data.store import GameStore

SAMPLE = "sample"
"""Prefix of games in the package: ``sample:krk``; ``sample`` alone is chess."""


def open_games(name: str | Path) -> "GameStore":
    """The games that are named.

    Raises:
        StoreError: There are no games, or they cannot be read.
    """
    from phasezoo.data.store import GameStore

    kind, _, game = str(name).partition(":")
    if kind == SAMPLE and not Path(name).exists():
        return GameStore.sample(game or "chess")
    return GameStore.open(name)


def refuse_existing(files: Iterable[Path], *, overwrite: bool) -> None:
    """Refuse to write over files, unless that was asked for.

    Raises:
        StoreError: One exists.
    """
    found = [] if overwrite else [file for file in files if file.is_file()]
    if found:
        message = f"{found[0]} exists already: choose another --out, or give --overwrite"
        raise StoreError(message)
