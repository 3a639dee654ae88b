"""Files that a command may write."""

from collections.abc import Iterable
from pathlib import Path

from phasezoo.errors import StoreError


def refuse_existing(files: Iterable[Path], *, overwrite: bool) -> None:
    """Refuse to write over files, unless that was asked for.

    Raises:
        StoreError: One exists.
    """
    found = [] if overwrite else [file for file in files if file.is_file()]
    if found:
        message = f"{found[0]} exists already: choose another --out, or give --overwrite"
        raise StoreError(message)
