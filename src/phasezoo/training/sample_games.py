"""Where the package keeps sample games."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from phasezoo.errors import StoreError
from phasezoo.games import Game

__all__ = ["sample_file"]

_ENDING = "_games.parquet"


@contextmanager
def sample_file(game: Game) -> Iterator[Path]:
    """The file with the sample games of ``game``, while the context lasts.

    Raises:
        StoreError: The package has no sample games of this game, or none with its options.
    """
    folder = resources.files("phasezoo") / "data"
    with resources.as_file(folder / f"{game.name}{_ENDING}") as path:
        if game.options or not path.is_file():
            files = [file.name for file in folder.iterdir() if file.name.endswith(_ENDING)]
            known = sorted(repr(name.removesuffix(_ENDING)) for name in files)
            options = f" with {dict(game.options)}" if game.options else ""
            message = (
                f"the package holds no sample games of {game.name!r}{options}; there are some of "
                f"{', '.join(known)}"
            )
            raise StoreError(message)
        yield path
