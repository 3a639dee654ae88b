"""Report of a run: every score of every axis, and how far each holds away from home."""

from collections import Counter
from itertools import groupby

from phasezoo.experiments.generalisation.estimates import MIN_GROUPS
from phasezoo.experiments.generalisation.figures import heat_of
from phasezoo.experiments.generalisation.matrix import Matrix, Results
from phasezoo.experiments.generalisation.writing import (
    gap_number,
    gap_span,
    gap_text,
    number_of,
    number_text,
    span_of,
)
from phasezoo.experiments.statistics import Verdict, verdict
from phasezoo.experiments.study import done_again
from phasezoo.report import numbers
from phasezoo.report.document import Column, Document, Item, Section, Table, Text, literal


def report(results: Results) -> Document:
    """Return the report.

    Args:
        results: Everything a run found.
    """
    worse, better, unclear = counts(results).values()
    verdicts = [
        ("worse away: the interval of the gap lies above zero", worse),
        ("better away: the interval of the gap lies below zero", better),
        ("not settled: the interval holds zero, or cannot be told", unclear),
    ]
    axes = groupby(results.matrices, lambda matrix: matrix.axis)
    return Document(
        title="How far does what is learnt here hold there?",
        headline=headline(results),
        lead=(
            "Everything that learns does so on some distribution: a phase of a game, its starts, a "
            "variant, a board, an opponent. Here each learns on one and is tested on all of them."
        ),
        kicker=f"phasezoo · generalise · preset {results.config.preset} · {results.date}",
        answer=[
            Text(
                "Rows say what was learnt from, columns what was tested on; cells of the diagonal, "
                "outlined, were tested at home. A gap is how much worse a cell is than the "
                "diagonal of its column, on the same test."
            ),
            Table.of_pairs(
                "verdicts", verdicts, ("cells away from home", "of the first score of each axis")
            ),
        ],
        items=[
            *(Section(name, _axis(list(found))) for name, found in axes),
            Section(
                "Terms and limits",
                [Text(_terms(results)), Section("Limits", [Text(_limits(results))])],
            ),
            done_again(
                results,
                "all cells (matrix.csv), all numbers (results.json), the heat maps as pictures, "
                "every model, the settings (config.json) and versions.",
            ),
        ],
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
    """Return the scores of a matrix, and its gaps if it has several rows.

    Args:
        matrix: One score of an axis.
    """
    score, name = matrix.score, f"{matrix.axis}-{matrix.score.name}".replace("/", "-")
    scores = [_scores_on(matrix, column) for column in matrix.columns]
    head = Column("learnt from ↓, tested on →", str)
    caption = literal(f"{score.name} ({score.better} is better)")
    mean = Column(
        "mean gap",
        matrix.mean_gap,
        lambda gap: numbers.ABSENT if gap is None else number_text(gap, score),
    )
    found = [Table(f"{name}-scores", [head, *scores, mean], matrix.rows, caption)]
    if len(matrix.rows) > 1:
        gaps = [_gaps_on(matrix, column) for column in matrix.columns]
        head = Column("gap: learnt from", str)
        caption = "How much worse than who learnt there; shaded: the interval does not hold zero"
        found.append(Table(f"{name}-gaps", [head, *gaps], matrix.rows, caption))
    return found


def _scores_on(matrix: Matrix, test: str) -> Column:
    """Return the scores of every row on one test."""

    def ends(train: str) -> str:
        text = span_of(matrix.cell(train, test).score, matrix.score)
        return f"{text}; at home" if train == test else text

    return Column(
        test,
        lambda train: matrix.cell(train, test).score,
        lambda found: number_of(found, matrix.score),
        ends,
        marked=lambda train: bool(train == test),
    )


def _gaps_on(matrix: Matrix, test: str) -> Column:
    """Return the gaps of every row on one test."""
    tones = {"higher": -0.25, "lower": 0.25, "unclear": None}

    def ends(train: str) -> str:
        cell = matrix.cell(train, test)
        if cell.is_diagonal:
            return f"at home {number_of(cell.score, matrix.score)}"
        return "" if cell.gap is None else gap_span(cell.gap, matrix.score)

    def tone(train: str) -> float | None:
        gap = matrix.cell(train, test).gap
        return None if gap is None else tones[verdict(gap)]

    return Column(
        test,
        lambda train: matrix.cell(train, test).gap,
        lambda gap: numbers.ABSENT if gap is None else gap_number(gap, matrix.score),
        ends,
        tone,
        lambda train: bool(train == test),
    )


def _terms(results: Results) -> str:
    return (
        "- **Gap**: how much worse a cell is than the model that learnt where both are tested, "
        "whichever numbers are good: above zero is worse. Both were tested on the same games or "
        "starts, which are compared one by one.\n"
        "- **95 % interval**: of means a bootstrap of whole groups "
        f"({numbers.count(results.config.resamples)} draws), of shares Wilson’s; gaps of shares as "
        f"those of matches. There is none for fewer than {MIN_GROUPS} groups of a mean, fewer than "
        "4 of a share, or where all groups of a mean are alike.\n"
        "- **Group**: what is independent in a test: a game, a start, an opening with all its "
        "seats."
    )


def _limits(results: Results) -> str:
    trainings = results.config.trainings
    alone = "intervals count the test’s chance alone, not how a training happened to come out"
    counted = alone if trainings == 1 else "intervals count the spread between trainings too"
    left_out = "".join(
        f"- {literal(name)} was left out: {literal(why)}\n" for name, why in results.skipped.items()
    )
    return (
        f"- {numbers.plural(trainings, 'training').capitalize()} a row: {counted}.\n"
        "- Many gaps are judged at once: of twenty without any difference one may look settled by "
        "chance.\n"
        "- A column may be harder than another for everybody; that is why gaps are taken within a "
        f"column.\n{left_out}"
    )


def counts(results: Results) -> dict[Verdict, int]:
    """Cells away from the diagonal by what the interval of their gap says, of first scores."""
    found = Counter(
        verdict(cell.gap)
        for matrix in _first(results)
        for cell in matrix.cells
        if cell.gap is not None
    )
    return {"higher": found["higher"], "lower": found["lower"], "unclear": found["unclear"]}


def headline(results: Results) -> str:
    """The main result as one line."""
    worse, better, unclear = counts(results).values()
    total = worse + better + unclear
    if not total:
        return "No cell has a diagonal to be compared with"
    return (
        f"Away from home {_counted(worse)} of {numbers.spelled(total)} cells "
        f"{'is' if worse == 1 else 'are'} worse than who learnt there, {_counted(better)} better, "
        f"{_counted(unclear)} not settled"
    )


def sentence(matrix: Matrix) -> str:
    """The widest gap of a matrix."""
    gaps = [(cell.gap.value, cell) for cell in matrix.cells if cell.gap is not None]
    if not gaps:
        return "No cell has a diagonal to be compared with."
    _, widest = max(gaps, key=lambda pair: pair[0])
    return (
        f"The widest gap is that of who learnt from {widest.train} and was tested on "
        f"{widest.test}: {number_of(widest.score, matrix.score)}, where who learnt there has "
        f"{number_of(matrix.cell(widest.test, widest.test).score, matrix.score)}; gap "
        f"{gap_text(widest.gap, matrix.score)}."
    )


def left_out(matrix: Matrix) -> str:
    """How many positions were left out of the tests; empty if no test says so."""
    if not matrix.removed:
        return ""
    told = ", ".join(f"{numbers.count(count)} of {name}" for name, count in matrix.removed.items())
    return f"Left out of the tests, because games that are learnt from contain them: {told}."


def _counted(count: int) -> str:
    """A count that stands alone."""
    return numbers.spelled(count) if count else "none"


def _first(results: Results) -> list[Matrix]:
    """The first score of each axis."""
    found: dict[str, Matrix] = {}
    for matrix in results.matrices:
        found.setdefault(matrix.axis, matrix)
    return list(found.values())
