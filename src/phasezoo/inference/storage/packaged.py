"""The networks that come with the package, by name: ``phasezoo/NAME``."""

import os
from importlib import resources
from pathlib import Path

from phasezoo.errors import CheckpointError
from phasezoo.inference.storage.manifest import MANIFEST

PREFIX = "phasezoo/"
"""Prefix of the names of networks in the package."""

EXPERTS = "experts.json"


def models() -> Path:
    """Return where the networks of the package are."""
    return Path(str(resources.files("phasezoo"))) / "models"


def packaged_networks() -> tuple[str, ...]:
    """Return the networks in the package, sorted, such as ``phasezoo/chess-small``."""
    if not models().is_dir():
        return ()
    found = (path for path in models().iterdir() if path.is_dir())
    whole = (p for p in found if (p / MANIFEST).is_file() or (p / EXPERTS).is_file())
    return tuple(sorted(PREFIX + path.name for path in whole))


def resolved(path: str | Path) -> Path:
    """Return the folder that ``path`` names: one of the package, or ``path`` itself.

    Only texts name networks of the package; a folder ``phasezoo/…`` is ``./phasezoo/…``.
    """
    if not isinstance(path, str) or not path.startswith(PREFIX):
        if not _is_there(Path(path), path) and f"{PREFIX}{path}" in packaged_networks():
            message = f"{path}: no such directory; the network in the package is '{PREFIX}{path}'"
            raise CheckpointError(message)
        return Path(path)
    if path not in packaged_networks():
        known = (
            f"there are {', '.join(packaged_networks())}"
            if packaged_networks()
            else "this version has no networks"
        )
        message = (
            f"{path!r}: no such network in the package; {known}. A folder of your own is "
            f"{'./' + path!r}"
        )
        raise CheckpointError(message)
    return models() / path.removeprefix(PREFIX)


def _is_there(path: Path, given: str | Path) -> bool:
    """Return whether there is a file or folder at a path."""
    try:
        return path.exists()
    except OSError as error:
        message = f"{str(given)[:80]}: cannot be a directory of a network ({error.strerror})"
        raise CheckpointError(message) from error


def cache_of(directory: Path) -> Path:
    """Return where files made of the network in ``directory`` are kept: beside it.

    Those of the package, which is nobody's to write into, lie in the user's cache folder.
    """
    if not directory.absolute().is_relative_to(models().absolute()):
        return directory
    home = os.environ.get("XDG_CACHE_HOME")
    base = Path(home) if home else Path.home() / ".cache"
    return base / "phasezoo" / directory.absolute().relative_to(models().absolute())
