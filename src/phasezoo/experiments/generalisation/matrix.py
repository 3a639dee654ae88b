"""The matrix: every score of every row on every column, its gap to the diagonal, and its texts."""

import csv
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.config import GeneraliseConfig, OwnConfig
from phasezoo.report import numbers
from phasezoo.runs import Provenance
from phasezoo.training.score import Score

HEAD = (
    *("axis", "score", "better", "train", "test"),
    *("value", "low", "high", "gap", "gap_low", "gap_high", "groups", "members", "trainings"),
)

NO_INTERVAL = "no interval"


@dataclass(frozen=True)
class Cell:
    """One row's model, or the mean of several trainings, on one column, by one score."""

    train: str
    """Split of the training."""
    test: str
    """Split of the test."""
    score: Interval | None
    """Score with its 95 % interval, whose ends are infinite if too little was counted; None if
    nothing was counted."""
    gap: Interval | None
    """Difference to the diagonal of its column; above 0 is worse. None on the diagonal, and if no
    row was trained on this split."""
    groups: int
    """Number of independent groups behind it: games, starts, openings."""
    members: int
    """Number of members of these groups."""

    @property
    def is_diagonal(self) -> bool:
        """True if it was tested on the split it was trained on."""
        return self.train == self.test


@dataclass(frozen=True)
class Matrix:
    """One score of an axis."""

    axis: str
    """Name of the axis."""
    about: str
    """Description of its splits."""
    score: Score
    """Score of the numbers."""
    rows: list[str]
    """Splits trained on."""
    columns: list[str]
    """Splits tested on."""
    cells: list[Cell]
    """Cells, row by row."""
    trainings: int
    """Number of trainings of each row."""
    removed: dict[str, int] = field(default_factory=dict)
    """Number of positions left out of a column's test because training games contain them. Columns
    whose tests are no positions of stored games are missing."""

    def cell(self, train: str, test: str) -> Cell:
        """Return a cell.

        Args:
            train: Its row.
            test: Its column.

        Raises:
            InvalidConfig: There is no such row or column.
        """
        for cell in self.cells:
            if (cell.train, cell.test) == (train, test):
                return cell
        message = (
            f"{train!r} on {test!r}: rows of {self.axis} are {', '.join(self.rows)}, columns "
            f"{', '.join(self.columns)}"
        )
        raise InvalidConfig(message)

    def mean_gap(self, train: str) -> float | None:
        """Return the mean gap of a row; None if no cell of it has one."""
        gaps = [c.gap.value for c in self.cells if c.train == train and c.gap is not None]
        return math.fsum(gaps) / len(gaps) if gaps else None


@dataclass(frozen=True)
class Results:
    """Results of a run."""

    config: GeneraliseConfig | OwnConfig
    """The settings."""
    command: str
    """Command that does the run again."""
    date: str
    """Date of its start."""
    provenance: Provenance
    """Versions and machine."""
    matrices: list[Matrix]
    """Matrices, axis by axis, each score of each."""
    skipped: dict[str, str]
    """Axes that could not be done here, with the reason."""
    seconds: dict[str, float]
    """Seconds of each axis."""

    def matrix(self, axis: str | None = None, score: str | None = None) -> Matrix:
        """Return the matrix of an axis by a score.

        Args:
            axis: The axis; None: the first.
            score: The score; None: the first.

        Raises:
            InvalidConfig: There is no such matrix.
        """
        for matrix in self.matrices:
            if axis in (None, matrix.axis) and score in (None, matrix.score.name):
                return matrix
        known = ", ".join(f"{m.axis}: {m.score.name}" for m in self.matrices)
        message = f"axis {axis!r}, score {score!r}: there are {known}"
        raise InvalidConfig(message)


def csv_of(matrices: list[Matrix]) -> str:
    """Return all cells as CSV, one a line; infinite ends are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    for matrix in matrices:
        writer.writerows(_rows(matrix))
    return text.getvalue()


def _rows(matrix: Matrix) -> Iterator[tuple[Any, ...]]:
    for cell in matrix.cells:
        yield (
            *(matrix.axis, matrix.score.name, matrix.score.better, cell.train, cell.test),
            *_numbers(cell.score),
            *_numbers(cell.gap),
            *(cell.groups, cell.members, matrix.trainings),
        )


def _numbers(interval: Interval | None) -> tuple[float | None, ...]:
    found = {} if interval is None else interval.to_dict()
    return found.get("value"), found.get("low"), found.get("high")


def folder_of(name: str) -> str:
    """Return a name as the part of a path."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "-"


def number_text(number: float, score: Score) -> str:
    """Return a number of a score with three digits, at most three after the point."""
    if score.unit == "%":
        return numbers.percent(number)
    return numbers.decimal(number, max(0, min(3, 2 - _magnitude(number) + 1)))


def number_of(interval: Interval | None, score: Score) -> str:
    """Return the estimate as text."""
    return numbers.ABSENT if interval is None else number_text(interval.value, score)


def span_of(interval: Interval | None, score: Score) -> str:
    """Return both ends as text."""
    if interval is None:
        return "nothing counted"
    if not interval.is_known:
        return NO_INTERVAL
    return f"{number_text(interval.low, score)} to {number_text(interval.high, score)}"


def gap_text(interval: Interval | None, score: Score) -> str:
    """Return a gap as text, with its sign and its ends."""
    if interval is None:
        return numbers.ABSENT
    return f"{gap_number(interval, score)} ({gap_span(interval, score)})"


def gap_number(interval: Interval, score: Score) -> str:
    """Return a gap as text, with its sign."""
    return _signed(interval.value, score)


def gap_span(interval: Interval, score: Score) -> str:
    """Return both ends of a gap as text."""
    if not interval.is_known:
        return NO_INTERVAL
    return f"{_signed(interval.low, score)} to {_signed(interval.high, score)}"


def _signed(number: float, score: Score) -> str:
    text = number_text(number, score)
    return text if number <= 0 or not text.strip("0.% ") else f"+{text}"


def _magnitude(number: float) -> int:
    size = abs(number)
    return math.floor(math.log10(size)) if 1 <= size < math.inf else 0
