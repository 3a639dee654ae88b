"""A matrix as a heat map: the numbers, and how far each is from the diagonal of its column."""

from pathlib import Path
from typing import Any

from phasezoo.experiments.generalisation.filling import folder_of
from phasezoo.experiments.generalisation.matrix import Cell, Matrix
from phasezoo.experiments.generalisation.writing import number_of, span_of
from phasezoo.report import plots
from phasezoo.report.document import Figure, literal
from phasezoo.runs.files import save_files

STRONGEST = 0.6
"""Opacity of the worst cell; ink must stay readable on it."""


def heat_of(matrix: Matrix) -> Figure:
    """Return the heat map of a matrix.

    Args:
        matrix: One score of an axis.
    """
    cells = "; ".join(
        f"{cell.train} on {cell.test} {number_of(cell.score, matrix.score)}"
        for cell in matrix.cells
    )
    return Figure(
        f"heat-{folder_of(matrix.axis)}-{folder_of(matrix.score.name)}".replace(".", "-"),
        lambda: _heat(matrix),
        f"{literal(matrix.axis)}, {literal(matrix.score.name)}: {matrix.score.better} is better, "
        "darker is worse; small: 95 % intervals.",
        f"{matrix.axis}, {matrix.score.name}: {cells}",
    )


def png_of(matrix: Matrix, path: Path) -> None:
    """The heat map as a picture of its own.

    Raises:
        RunDirectoryError: The disk is full or refuses.
    """
    figure = _heat(matrix)
    figure.suptitle(
        f"{matrix.axis}: {matrix.score.name}", color=plots.INK, fontsize=11, fontweight="bold"
    )
    save_files({path: plots.to_png(figure, 150, facecolor=plots.SURFACE)})


def _heat(matrix: Matrix) -> Any:
    """Darker is worse, from the best cell of a score to its worst."""
    rows, columns = len(matrix.rows), len(matrix.columns)
    figure, plot = plots.axes(2.0 + 1.45 * columns, 1.1 + 0.62 * rows)
    low, high = _range(matrix)
    for cell in matrix.cells:
        across, down = matrix.columns.index(cell.test), matrix.rows.index(cell.train)
        _draw(plot, cell, matrix, (across, down), (low, high))
    plot.set_xlim(-0.5, columns - 0.5)
    plot.set_ylim(rows - 0.5, -0.5)
    plot.set_xticks(range(columns), matrix.columns)
    plot.set_yticks(range(rows), matrix.rows)
    plot.set_xlabel("tested on")
    plot.set_ylabel("learnt from")
    plot.xaxis.set_label_position("top")
    plot.xaxis.tick_top()
    plot.grid(visible=False)
    plot.tick_params(length=0)
    for side in ("left", "bottom"):
        plot.spines[side].set_visible(False)
    return figure


def _range(matrix: Matrix) -> tuple[float, float]:
    values = [cell.score.value for cell in matrix.cells if cell.score is not None]
    return min(values, default=0.0), max(values, default=0.0)


def _draw(
    plot: Any, cell: Cell, matrix: Matrix, place: tuple[int, int], ends: tuple[float, float]
) -> None:
    from matplotlib.patches import Rectangle

    across, down = place
    strength = 0.0
    if cell.score is not None and ends[1] > ends[0]:
        strength = (cell.score.value - ends[0]) / (ends[1] - ends[0])
        strength = 1 - strength if matrix.score.better == "higher" else strength
    corner = (across - 0.48, down - 0.46)
    opacity = 0.04 + strength * STRONGEST
    plot.add_patch(
        Rectangle(corner, 0.96, 0.92, linewidth=0, facecolor=plots.PLACEBO, alpha=opacity)
    )
    if cell.is_diagonal:
        plot.add_patch(
            Rectangle(corner, 0.96, 0.92, facecolor="none", edgecolor=plots.INK, linewidth=1.4)
        )
    given: Any = {"ha": "center", "va": "center", "color": plots.INK}
    plot.text(across, down - 0.12, number_of(cell.score, matrix.score), fontsize=10, **given)
    plot.text(across, down + 0.22, span_of(cell.score, matrix.score), fontsize=7, **given)
