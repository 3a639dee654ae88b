"""The report's sentences."""

from collections import Counter

from phasezoo.experiments.generalisation.matrix import Matrix, Results
from phasezoo.experiments.generalisation.writing import gap_text, number_of
from phasezoo.experiments.statistics import Verdict, verdict
from phasezoo.report import numbers

__all__ = ["counts", "headline", "left_out", "sentence"]


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
