"""Where the numbers of a training are written as it goes: one protocol, and what speaks it.

``metrics.csv`` is the record that a resumed training reads back; the others are for people.
"""

import contextlib
import hashlib
import importlib.util
import logging
import os
import socket
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from phasezoo.errors import MissingDependency

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
    """Everything that its numbers depend on, as JSON."""
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
        """Open the file; points of updates that are done again are hidden."""
        if importlib.util.find_spec("tensorboard") is None:
            return
        purge = int(run.kept[-1]["positions"] or 0) + 1 if run.kept else 0
        try:
            self._board = _EventFile(run.out / TENSORBOARD, purge)
        except OSError as error:
            _warn_of(error)

    def add(self, row: Row) -> None:
        """Show the row; a disk that refuses ends only this."""
        if self._board is None:
            return
        try:
            for tag, value in _shown(row).items():
                self._board.add_scalar(tag, value, int(row["positions"] or 0))
            self._board.flush()
        except OSError as error:
            _warn_of(error)
            self.close()

    def close(self) -> None:
        """Finish the file."""
        board, self._board = self._board, None
        if board is not None:
            with contextlib.suppress(OSError):
                board.close()


class _EventFile:
    """A file of TensorBoard's events, written in this thread.

    Its own writer, which is another thread, prints a traceback if the disk is full.

    Args:
        folder: Where it is put.
        purge: The step from which on points of earlier files are hidden, if any.

    Raises:
        OSError: The file cannot be written.
    """

    def __init__(self, folder: Path, purge: int | None) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # its own dependencies' business
            from tensorboard.compat.proto import event_pb2, summary_pb2
            from tensorboard.summary.writer.record_writer import RecordWriter

        self._event, self._summary = event_pb2.Event, summary_pb2.Summary
        folder.mkdir(parents=True, exist_ok=True)
        now = time.time_ns()
        # Readers take the files of a folder in the order of their names.
        name = f"events.out.tfevents.{now // 10**9:010}.{socket.gethostname()}.{os.getpid()}.{now}"
        self._file = (folder / name).open("wb")
        self._records = RecordWriter(self._file)
        try:
            self._write(file_version="brain.Event:2")
            if purge is not None:
                start = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
                self._write(step=purge, session_log=start)
            self.flush()
        except OSError:
            with contextlib.suppress(OSError):
                self.close()
            raise

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        """Write a point."""
        point = self._summary.Value(tag=tag, simple_value=value)
        self._write(step=step, summary=self._summary(value=[point]))

    def flush(self) -> None:
        """Hand all of it to the disk."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, **fields: Any) -> None:
        self._records.write(self._event(wall_time=time.time(), **fields).SerializeToString())


def _warn_of(error: OSError) -> None:
    _LOGGER.warning("TensorBoard's files cannot be written (%s): going on without", error)


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
            raise MissingDependency.of_extra(
                need="logging to Weights & Biases needs wandb", extra="wandb"
            )
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
    """Return the groups of numbers to show, by name, without those not measured."""
    return {tag: value for tag, value in row.items() if value is not None and "/" in tag}
