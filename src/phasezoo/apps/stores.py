"""Files that a command may write."""

import os
from collections.abc import Iterable
from pathlib import Path

from phasezoo.errors import StoreError
from phasezoo.runs.files import check_replaceable


def refuse_existing(files: Iterable[Path], *, overwrite: bool, makes_folder: bool = False) -> None:
    """Refuse to write over files, unless that was asked for, and what cannot become files."""
    given = list(files)
    for number, file in enumerate(given):
        check_replaceable(file, StoreError)
        reason = _why_not(file, given[:number], makes_folder=makes_folder)
        if reason:
            message = f"{file}: {reason}"
            raise StoreError(message)
    found = [] if overwrite else [file for file in given if file.is_file()]
    if found:
        message = f"{found[0]} exists already: choose another --out, or give --overwrite"
        raise StoreError(message)


def _why_not(file: Path, others: Iterable[Path], *, makes_folder: bool) -> str:
    """Return why a file cannot be written beside others; empty if it can."""
    if file.resolve() in [other.resolve() for other in others]:
        return "two files cannot have one name; choose another for one of them"
    if file.is_dir():
        return "is a folder; give the name of a file"
    folder = file.parent
    while makes_folder and not folder.exists():
        folder = folder.parent
    if not folder.exists():
        return f"no such folder, {folder}; make it first"
    if not folder.is_dir():
        return f"{folder} is no folder; choose another place"
    if not os.access(folder, os.W_OK):
        return f"nothing can be written in {folder}; choose another place"
    return ""
