"""Where the numbers of a training are written as it goes: one protocol, and what speaks it.

``metrics.csv`` is the record that a resumed training reads back; the others are for people.
"""

import contextlib
import hashlib
import importlib.util
import logging
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from phasezoo.errors import MissingDependency

__all__ = ["LoggedRun", "Logger", "Row", "TensorBoardLogger", "WandbLogger"]

TENSORBOARD = "tensorboard"

_LOGGER = logging.getLogger(__name__)

Row: TypeAlias = Mapping[str, float | None]
"""Numbers by column; ``update`` and ``positions`` are always there, names with a slash are shown.
What was not measured is None or left out."""


@dataclass(frozen=True)
class LoggedRun:
    """A training whose numbers are written."""

    out: Path
    """Its directory."""
    config: Mapping[str, Any]
    """What its numbers depend on, as JSON."""
    kept: Sequence[Row] = ()
    """Rows of earlier sessions that still hold, oldest first."""


class Logger(Protocol):
    """Takes the numbers of a training; the x-axis is training positions seen."""

    def start(self, run: LoggedRun) -> None:
        """Begin, or go on."""
        ...

    def add(self, row: Row) -> None:
        """Take a row."""
        ...

    def close(self) -> None:
        """Finish, also after an error."""
        ...


class TensorBoardLogger:
    """Writes TensorBoard's files into ``tensorboard/`` if it is installed."""

    def __init__(self) -> None:
        self._board: Any = None

    def start(self, run: LoggedRun) -> None:
        """Open the files; points of updates that are done again are hidden."""
        if importlib.util.find_spec("tensorboard") is None:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # its own dependencies' business
            from torch.utils.tensorboard import SummaryWriter

        purge = int(run.kept[-1]["positions"] or 0) + 1 if run.kept else None
        self._board = SummaryWriter(str(run.out / TENSORBOARD), purge_step=purge)

    def add(self, row: Row) -> None:
        """Show the row; a disk that refuses ends only this."""
        if self._board is None:
            return
        try:
            for tag, value in _shown(row).items():
                self._board.add_scalar(tag, value, int(row["positions"] or 0))
            self._board.flush()
        except OSError as error:
            _LOGGER.warning("TensorBoard's files cannot be written (%s): going on without", error)
            self._board = None

    def close(self) -> None:
        """Finish the files."""
        if self._board is not None:
            with contextlib.suppress(OSError):
                self._board.close()


class WandbLogger:
    """Sends the numbers to Weights & Biases.

    A training that goes on is the same run there: its id is made from the directory.

    Args:
        project: The project's name.
        **options: What else ``wandb.init`` takes, such as ``mode="offline"``.

    Raises:
        MissingDependency: wandb is not installed.
    """

    def __init__(self, project: str, **options: Any) -> None:
        if importlib.util.find_spec("wandb") is None:
            message = "logging to Weights & Biases needs wandb: pip install 'phasezoo[wandb]'"
            raise MissingDependency(message)
        self._options = {"project": project, **options}
        self._run: Any = None

    def start(self, run: LoggedRun) -> None:
        """Begin a run, or go on with the directory's."""
        import wandb

        place = str(run.out.absolute()).encode()
        own = {
            "name": run.out.name,
            "dir": str(run.out),
            "id": hashlib.sha256(place).hexdigest()[:16],
            "resume": "allow",
            "config": dict(run.config),
        }
        self._run = wandb.init(**{**own, **self._options})

    def add(self, row: Row) -> None:
        """Send the row."""
        self._run.log(_shown(row), step=int(row["positions"] or 0))

    def close(self) -> None:
        """End the run."""
        if self._run is not None:
            self._run.finish()


def _shown(row: Row) -> dict[str, float]:
    """What people look at: groups of numbers by name, without what was not measured."""
    return {tag: value for tag, value in row.items() if value is not None and "/" in tag}
