"""What is gone from the directory of a run that goes on: it is named, or ends the run."""

import warnings
from collections.abc import Sequence
from pathlib import Path

from phasezoo.errors import CheckpointError
from phasezoo.training.selfplay.outcome import Update, version_folder
from phasezoo.training.selfplay.students import is_published

__all__ = ["check_versions", "warn_of_games"]

_SHOWN = 5
"""Names in a message; of more, how many there are."""


def check_versions(out: Path, rows: Sequence[Update]) -> None:
    """Look for the versions after all rounds that have ended.

    Warns of those that are gone and not needed to go on.

    Raises:
        CheckpointError: The one that plays next is gone.
    """
    if not rows:
        return
    folders = [version_folder(out, update) for update in range(len(rows) + 1)]
    gone = [folder for folder in folders if not is_published(folder)]
    best = version_folder(out, rows[-1].best)
    if best in gone:
        message = (
            f"{best}: the version that plays next is gone, and the run cannot go on without it: "
            "put it back, or begin anew in another directory"
        )
        raise CheckpointError(message)
    if gone:
        message = (
            f"{out}: of {len(folders)} versions {len(gone)} are gone: {_named(gone)}. The run goes "
            "on without them; what was not measured of them yet stays unmeasured"
        )
        warnings.warn(message, stacklevel=2)


def warn_of_games(folder: Path, gone: Sequence[str]) -> list[str]:
    """Warn of files of games of rounds that have ended.

    Args:
        folder: Where they were.
        gone: Their names.

    Returns:
        Why each cannot be used, by its name.
    """
    if gone:
        message = (
            f"{folder}: {len(gone)} files of games that had been finished are gone: "
            f"{_named([folder / name for name in gone])}. The run goes on without their samples; "
            "put them back to have it as it was"
        )
        warnings.warn(message, stacklevel=2)
    return [f"{folder / name}: is gone" for name in gone]


def _named(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(path.name for path in paths[:_SHOWN]) + more
