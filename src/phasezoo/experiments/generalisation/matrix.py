"""The matrix: every score of every row on every column, with its gap to the diagonal."""

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.config import GeneraliseConfig, OwnConfig
from phasezoo.experiments.generalisation.scores import Score
from phasezoo.runs import Provenance

__all__ = ["Cell", "Matrix", "Results", "csv_of"]

HEAD = (
    *("axis", "score", "better", "train", "test"),
    *("value", "low", "high", "gap", "gap_low", "gap_high", "groups", "members", "trainings"),
)


@dataclass(frozen=True)
class Cell:
    """One row's model, or the mean of several trainings, on one column, by one score."""

    train: str
    """The split learnt from."""
    test: str
    """The split tested on."""
    score: Interval | None
    """With its 95 % interval, whose ends are infinite if they cannot be told; None if nothing was
    counted."""
    gap: Interval | None
    """How much worse than who learnt where this was tested; above 0 is worse. None on the diagonal,
    and if nobody learnt there."""
    groups: int
    """Independent groups behind it: games, starts, openings."""
    members: int
    """What was counted in them."""

    @property
    def is_diagonal(self) -> bool:
        """Whether it was tested where it learnt."""
        return self.train == self.test


@dataclass(frozen=True)
class Matrix:
    """One score of an axis."""

    axis: str
    """The axis."""
    about: str
    """What its splits are."""
    score: Score
    """What the numbers are."""
    rows: list[str]
    """Splits learnt from."""
    columns: list[str]
    """Splits tested on."""
    cells: list[Cell]
    """Row by row."""
    trainings: int
    """Trainings of each row."""
    removed: dict[str, int] = field(default_factory=dict)
    """By column: positions that were left out of its test, because somebody learns from them. Tests
    that are no positions of stored games are missing."""

    def cell(self, train: str, test: str) -> Cell:
        """One cell.

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
        """The mean gap of a row away from the diagonal; None if it has none."""
        gaps = [c.gap.value for c in self.cells if c.train == train and c.gap is not None]
        return math.fsum(gaps) / len(gaps) if gaps else None


@dataclass(frozen=True)
class Results:
    """Everything a run found."""

    config: GeneraliseConfig | OwnConfig
    """The settings."""
    command: str
    """What does the same again."""
    date: str
    """When it began."""
    provenance: Provenance
    """Versions and machine."""
    matrices: list[Matrix]
    """Axis by axis, each score of each."""
    skipped: dict[str, str]
    """Axes that could not be done here, and why."""
    seconds: dict[str, float]
    """Where the time went."""

    def matrix(self, axis: str | None = None, score: str | None = None) -> Matrix:
        """The matrix of an axis by a score; by default the first of each.

        Raises:
            InvalidConfig: There is none.
        """
        for matrix in self.matrices:
            if axis in (None, matrix.axis) and score in (None, matrix.score.name):
                return matrix
        known = ", ".join(f"{m.axis}: {m.score.name}" for m in self.matrices)
        message = f"axis {axis!r}, score {score!r}: there are {known}"
        raise InvalidConfig(message)


def csv_of(matrices: list[Matrix]) -> str:
    """All cells as CSV, one a line; ends that cannot be told are empty."""
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
