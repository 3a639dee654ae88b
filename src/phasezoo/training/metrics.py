"""The numbers of a training as it goes, in ``metrics.csv``."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from phasezoo.errors import CheckpointError
from phasezoo.inference.storage.files import write_file
from phasezoo.runs.files import append_line
from phasezoo.training.loggers import LoggedRun, Logger, Row

METRICS = "metrics.csv"


def read_metrics(out: Path) -> list[dict[str, float | None]]:
    """The rows of ``metrics.csv`` in ``out``, oldest first; empty cells are None."""
    rows = _raw_rows(out / METRICS)
    try:
        return [{key: float(cell) if cell else None for key, cell in row.items()} for row in rows]
    except ValueError as error:
        raise _changed(out / METRICS, error) from error


class MetricsLog:
    """Appends rows to ``metrics.csv``, and hands them to other loggers.

    Rows of updates that a resumed training will do again are removed first. The x-axis is training
    positions seen.

    Args:
        run: The training.
        columns: Names of all columns; ``update`` and ``positions`` come first.
        done: Updates done by the checkpoint that the training goes on from; None: it starts anew.
        loggers: Who else takes the rows.

    Raises:
        CheckpointError: The file cannot be written.
    """

    def __init__(
        self, run: LoggedRun, columns: list[str], done: int | None, loggers: Sequence[Logger] = ()
    ) -> None:
        self._path = run.out / METRICS
        self._columns = columns
        kept = [] if done is None else _rows_until(self._path, done)
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, extrasaction="ignore", restval="")
        writer.writeheader()
        writer.writerows(kept)
        write_file(self._path, text.getvalue().encode())
        self._loggers = tuple(loggers)
        earlier = read_metrics(run.out) if self._loggers else []
        for logger in self._loggers:
            logger.start(replace(run, kept=earlier))

    def add(self, row: Row) -> None:
        """Append a row; columns that it leaves out stay empty."""
        text = io.StringIO()
        csv.DictWriter(text, self._columns, restval="").writerow(
            {key: "" if value is None else repr(value) for key, value in row.items()}
        )
        try:
            append_line(self._path, text.getvalue().removesuffix("\n").encode(), through=False)
        except OSError as error:
            message = (
                f"{self._path}: cannot be written ({error.strerror}); free some space, then run "
                "the same command again to continue"
            )
            raise CheckpointError(message) from error
        for logger in self._loggers:
            logger.add(row)

    def close(self) -> None:
        """Close the other loggers."""
        for logger in self._loggers:
            logger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _raw_rows(path: Path) -> list[dict[str, str]]:
    """The rows as text, without a last one that was cut off."""
    if not path.is_file():
        return []
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _changed(path, error) from error
    return [row for row in rows if None not in row and None not in row.values()]


def _rows_until(path: Path, done: int) -> list[dict[str, str]]:
    rows = _raw_rows(path)
    try:
        return [row for row in rows if int(row["update"]) <= done]
    except (KeyError, ValueError) as error:
        raise _changed(path, error) from error


def _changed(path: Path, error: Exception) -> CheckpointError:
    message = f"{path}: not the metrics of a training ({error}); delete the file to go on"
    return CheckpointError(message)
