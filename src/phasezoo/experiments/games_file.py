"""The games that a study learns from: a file of the user's, or the package's sample games."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from phasezoo.data.positions import PositionTable
from phasezoo.data.store import GameStore
from phasezoo.data.store_folder import store_files
from phasezoo.errors import StoreError


@dataclass(frozen=True)
class GamesFile:
    """Games of one game, and what says later that they are still the same."""

    store: GameStore
    """The games."""
    path: Path
    """Their file or folder."""
    text: str
    """Where they come from, for people."""
    sha256: str
    """Checksum of the file, or of all files of the folder."""


def read_games(game: str, given: Path | None) -> GamesFile:
    """Open the games of a study.

    Args:
        game: What must be played in them.
        given: A games store; None: the sample games of the package.
    """
    if given is None:
        packaged = resources.files("phasezoo") / "data" / "samples" / f"{game}_games.parquet"
        try:
            store = GameStore.sample(game)
        except StoreError as error:
            message = f"{error}; give others with --games, a store"
            raise StoreError(message) from error
        text = f"the {len(store):,} sample games of the package, which programs played"
        with resources.as_file(packaged) as path:
            return GamesFile(store, path, text, _sha256(path))
    store = GameStore.open(given)
    if store.variant != game:
        message = f"{given}: holds games of {store.variant!r}; this study is about {game!r}"
        raise StoreError(message)
    return GamesFile(store, given, f"{given.name} ({len(store):,} games)", _sha256(given))


def check_split(tables: Mapping[str, PositionTable], path: Path) -> None:
    """Refuse games that are too few to be split."""
    for name, table in tables.items():
        if len(table) == 0:
            message = (
                f"{path}: leaves no positions for {name}; a folder that is split needs games in "
                "each part, and others are split by game into train, validation and test, for "
                "which at least a few dozen different games are needed"
            )
            raise StoreError(message)


def check_unseen(test: PositionTable, path: Path) -> None:
    """Refuse games that leave nothing to test on."""
    if len(test) == 0:
        message = f"{path}: every test position occurs in train too; use more, or other, games"
        raise StoreError(message)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    for part in store_files(path):
        if path not in (part, part.parent):  # a part of the split, which must keep its games
            digest.update(part.parent.name.encode())
        with part.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
