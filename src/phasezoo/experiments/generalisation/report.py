"""Report of a run: every score of every axis, and how far each holds away from home."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.claims import counted
from phasezoo.experiments.generalisation.measures import MIN_GROUPS, Cell, Matrix, Results
from phasezoo.experiments.statistics import Verdict, verdict
from phasezoo.experiments.study import study_report
from phasezoo.frames import csv_text
from phasezoo.report import numbers, plots
from phasezoo.report.document import (
    Column,
    Document,
    Figure,
    Item,
    Section,
    Table,
    Text,
    columns_by,
    literal,
)
from phasezoo.runs.files import save_files
from phasezoo.training.probes.probe import Score

HEAD = (
    *("axis", "score", "better", "train", "test"),
    *("value", "low", "high", "gap", "gap_low", "gap_high", "groups", "members", "trainings"),
)

Form: TypeAlias = Callable[[float, Score], str]
"""Writes a number of a score."""


def report(results: Results) -> Document:
    """Return the report."""
    worse, better, unclear = counts(results).values()
    verdicts = [
        ("worse away: the interval of the gap lies above zero", worse),
        ("better away: the interval of the gap lies below zero", better),
        ("not settled: the interval holds zero, or is not known", unclear),
    ]
    axes = groupby(results.matrices, lambda matrix: matrix.axis)
    return study_report(
        results,
        [Section(name, _axis(list(found))) for name, found in axes],
        title="How far does training on one distribution carry to others?",
        headline=headline(results),
        lead=(
            "Everything that learns does so on some distribution: a phase of a game, its starts, a "
            "variant, a board, an opponent. Here each learns on one and is tested on all of them."
        ),
        subject="generalise",
        answer=[
            Text(
                "Rows say what was trained on, columns what was tested on; cells of the diagonal, "
                "outlined, were tested at home. A gap is how much worse a cell is than the "
                "diagonal of its column, on the same test."
            ),
            Table.of_pairs(
                "verdicts", verdicts, ("cells away from home", "of the first score of each axis")
            ),
        ],
        terms=_terms(results),
        limits=_limits(results),
        beside=(
            "all cells (matrix.csv), all numbers (results.json), the heat maps as pictures, every "
            "model, the settings (config.json) and versions."
        ),
    )


def _axis(matrices: list[Matrix]) -> list[Item]:
    first = matrices[0]
    texts = [text for text in (first.about, left_out(first)) if text]
    items: list[Item] = [Text(literal(text)) for text in texts]
    for matrix in matrices:
        unit = f" ({matrix.score.unit})" if matrix.score.unit else ""
        parts: list[Item] = [Text(literal(sentence(matrix))), heat_of(matrix)]
        parts += tables_of(matrix)
        items.append(Section(f"{matrix.score.name}{unit}", parts))
    return items


def tables_of(matrix: Matrix) -> list[Table]:
    """Return the scores of a matrix, and its gaps if it has several rows."""
    score, name = matrix.score, f"{matrix.axis}-{matrix.score.name}".replace("/", "-")
    head = Column("trained on ↓, tested on →", str)
    caption = literal(f"{score.name} ({score.better} is better)")
    mean = Column(
        "mean gap",
        matrix.mean_gap,
        lambda gap: numbers.ABSENT if gap is None else number_text(gap, score),
    )
    found = [Table(f"{name}-scores", [head, *_scores(matrix), mean], matrix.rows, caption)]
    if len(matrix.rows) > 1:
        head = Column("gap: trained on", str)
        caption = (
            "How much worse than the model trained there; shaded: the interval does not hold zero"
        )
        found.append(Table(f"{name}-gaps", [head, *_gaps(matrix)], matrix.rows, caption))
    return found


def _scores(matrix: Matrix) -> list[Column]:
    """Return the scores of every row, by test."""

    def ends(train: str, test: str) -> str:
        text = span_of(matrix.cell(train, test).score, matrix.score)
        return f"{text}; at home" if train == test else text

    return columns_by(
        matrix.columns,
        lambda train, test: matrix.cell(train, test).score,
        lambda found: number_of(found, matrix.score),
        below=ends,
        marked=lambda train, test: bool(train == test),
    )


def _gaps(matrix: Matrix) -> list[Column]:
    """Return the gaps of every row, by test."""
    tones = {"higher": -0.25, "lower": 0.25, "unclear": None}

    def ends(train: str, test: str) -> str:
        cell = matrix.cell(train, test)
        if cell.is_diagonal:
            return f"at home {number_of(cell.score, matrix.score)}"
        return "" if cell.gap is None else span_of(cell.gap, matrix.score, signed_text)

    def tone(train: str, test: str) -> float | None:
        gap = matrix.cell(train, test).gap
        return None if gap is None else tones[verdict(gap)]

    return columns_by(
        matrix.columns,
        lambda train, test: matrix.cell(train, test).gap,
        lambda gap: number_of(gap, matrix.score, signed_text),
        below=ends,
        tone=tone,
        marked=lambda train, test: bool(train == test),
    )


def _terms(results: Results) -> str:
    return (
        "- **Gap**: how much worse a cell is than the model trained where both are tested, "
        "whichever numbers are good: above zero is worse. Both were tested on the same games or "
        "starts, which are compared one by one.\n"
        "- **95 % interval**: of means a bootstrap of whole groups "
        f"({numbers.count(results.config.resamples)} draws), of shares Wilson’s; gaps of shares as "
        f"those of matches. There is none for fewer than {MIN_GROUPS} groups of a mean, fewer than "
        "4 of a share, or where all groups of a mean are alike.\n"
        "- **Group**: what is independent in a test: a game, a start, all games of an opening."
    )


def _limits(results: Results) -> str:
    trainings = results.config.trainings
    alone = "intervals count the test’s chance alone, not how a training happened to come out"
    spread = alone if trainings == 1 else "intervals count the spread between trainings too"
    left_out = "".join(
        f"- {literal(name)} was left out: {literal(why)}\n" for name, why in results.skipped.items()
    )
    return (
        f"- {numbers.plural(trainings, 'training').capitalize()} a row: {spread}.\n"
        "- Many gaps are judged at once: of twenty without any difference one may look settled by "
        "chance.\n"
        "- A column may be harder than another for every model; that is why gaps are taken within "
        f"a column.\n{left_out}"
    )


def counts(results: Results) -> dict[Verdict, int]:
    """Count cells away from the diagonal by the verdict on their gap, of first scores."""
    found = Counter(
        verdict(cell.gap)
        for matrix in _first(results)
        for cell in matrix.cells
        if cell.gap is not None
    )
    return {"higher": found["higher"], "lower": found["lower"], "unclear": found["unclear"]}


def headline(results: Results) -> str:
    """Return the main result as one line."""
    worse, better, unclear = counts(results).values()
    total = worse + better + unclear
    if not total:
        return "No cell has a diagonal to be compared with"
    return (
        f"Away from home {counted(worse)} of {numbers.in_words(total)} cells "
        f"{'is' if worse == 1 else 'are'} worse than the model trained there, {counted(better)} "
        f"better, {counted(unclear)} not settled"
    )


def sentence(matrix: Matrix) -> str:
    """Return a sentence about the widest gap of a matrix."""
    gaps = [(cell.gap, cell) for cell in matrix.cells if cell.gap is not None]
    if not gaps:
        return "No cell has a diagonal to be compared with."
    gap, widest = max(gaps, key=lambda pair: pair[0].value)
    return (
        f"The widest gap is that of the model trained on {widest.train} and tested on "
        f"{widest.test}: {number_of(widest.score, matrix.score)}, where the model trained there "
        f"has {number_of(matrix.cell(widest.test, widest.test).score, matrix.score)}; gap "
        f"{gap_text(gap, matrix.score)}."
    )


def left_out(matrix: Matrix) -> str:
    """Return a sentence about positions left out of the tests; empty if no test counts them."""
    if not matrix.removed:
        return ""
    parts = [f"{numbers.count(count)} of {name}" for name, count in matrix.removed.items()]
    return f"Left out of the tests, because training games contain them: {', '.join(parts)}."


def _first(results: Results) -> list[Matrix]:
    """Return the first matrix of each axis."""
    found: dict[str, Matrix] = {}
    for matrix in results.matrices:
        found.setdefault(matrix.axis, matrix)
    return list(found.values())


STRONGEST = 0.6
"""Opacity of the worst cell; ink must stay readable on it."""


def heat_of(matrix: Matrix) -> Figure:
    """Return the heat map of a matrix."""
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
    """Save the heat map as a picture of its own."""
    figure = _heat(matrix)
    figure.suptitle(
        f"{matrix.axis}: {matrix.score.name}", color=plots.INK, fontsize=11, fontweight="bold"
    )
    save_files({path: plots.to_png(figure, 150, facecolor=plots.SURFACE)})


def _heat(matrix: Matrix) -> Any:
    """Draw cells, the darker the worse, from the best of a score to its worst."""
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
    plot.set_ylabel("trained on")
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


def csv_of(matrices: list[Matrix]) -> str:
    """Return all cells as CSV, one a line; infinite ends are empty."""
    return csv_text(HEAD, (row for matrix in matrices for row in _rows(matrix)))


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
    size = abs(number)
    digits = 3 - math.floor(math.log10(size)) if 1 <= size < math.inf else 3
    return numbers.decimal(number, max(0, min(3, digits)))


def signed_text(number: float, score: Score) -> str:
    """Return a number as :func:`number_text` does, with its sign."""
    text = number_text(number, score)
    return text if number <= 0 or not text.strip("0.% ") else f"+{text}"


def number_of(interval: Interval | None, score: Score, form: Form = number_text) -> str:
    """Return the estimate as text."""
    return numbers.ABSENT if interval is None else form(interval.value, score)


def span_of(interval: Interval | None, score: Score, form: Form = number_text) -> str:
    """Return both ends as text."""
    if interval is None:
        return "nothing counted"
    if not interval.is_known:
        return "no interval"
    return numbers.between(form(interval.low, score), form(interval.high, score))


def gap_text(gap: Interval, score: Score) -> str:
    """Return a gap as text, with its sign and its ends."""
    return f"{number_of(gap, score, signed_text)} ({span_of(gap, score, signed_text)})"
