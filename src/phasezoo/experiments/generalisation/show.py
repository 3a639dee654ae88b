"""A run's tables on the console."""

from collections.abc import Sequence
from pathlib import Path

from phasezoo.experiments.generalisation.matrix import Matrix, Results
from phasezoo.experiments.generalisation.story import left_out
from phasezoo.experiments.generalisation.writing import gap_text, number_of, number_text, span_of
from phasezoo.report import numbers
from phasezoo.report.console import Console

__all__ = ["show_axis", "show_end"]


def show_axis(console: Console, matrices: Sequence[Matrix]) -> None:
    """Every score of an axis, a row for who learnt, a column for the test."""
    for matrix in matrices:
        rows = [
            [
                row,
                *(_cell(matrix, row, column) for column in matrix.columns),
                _mean_gap(matrix, row),
            ]
            for row in matrix.rows
        ]
        title = f"{matrix.score.name} ({matrix.score.better} is better)"
        console.table(title, ["learnt from ↓, tested on →", *matrix.columns, "mean gap"], rows)
    first = matrices[0]
    if removed := left_out(first):
        console.note(removed)
    for cell in first.cells:
        if cell.gap is not None:
            gap = gap_text(cell.gap, first.score)
            console.note(f"gap of {cell.train} on {cell.test}: {gap}")


def show_end(console: Console, results: Results, path: Path) -> None:
    """What was left out, and where the numbers are."""
    for name, reason in results.skipped.items():
        console.note(f"Left out {name}: {reason}")
    console.note(f"Numbers: {path / 'matrix.csv'} and {path / 'results.json'}")


def _cell(matrix: Matrix, row: str, column: str) -> str:
    score = matrix.cell(row, column).score
    mark = "*" if row == column else ""
    return f"{number_of(score, matrix.score)}{mark} ({span_of(score, matrix.score)})"


def _mean_gap(matrix: Matrix, row: str) -> str:
    gap = matrix.mean_gap(row)
    return numbers.ABSENT if gap is None else number_text(gap, matrix.score)
