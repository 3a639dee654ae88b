"""Figure 4.2: how long games are, against how far White's moves are from the best ones."""

from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import Claim, by_sign
from phasezoo.experiments.krk import paper
from phasezoo.experiments.krk.cells import Cell
from phasezoo.experiments.krk.judging import BY_RANGE, BY_SIGN, by_range, simultaneous
from phasezoo.experiments.krk.resampling import Table
from phasezoo.experiments.krk.results import Figure, VariantSummary
from phasezoo.experiments.krk.trends import correlation, told
from phasezoo.experiments.statistics import ResampledMeans, percentile_interval
from phasezoo.report import numbers

__all__ = ["length_figure"]


def length_figure(table: Table, summary: VariantSummary) -> Figure:
    """Measure the study's figure 4.2 over the cells of UCT.

    Args:
        table: Means of all cells.
        summary: All games of UCT together.
    """
    cells = [cell for cell in table.cells if cell.variant == "uct"]
    difference, length = _each(table, "difference", cells), _each(table, "length", cells)
    related = correlation(difference, length)
    link = percentile_interval(float(related.means), related.resampled)
    about = (
        "A point is a cell: the mean DTM difference of White’s moves and the mean length of its "
        f"won games. The two are bound together: a game that is never drawn lasts "
        f"{paper.MATE_IN} moves plus the sum of its DTM differences (so it did in "
        f"{numbers.count(summary.identities)} of {numbers.count(summary.won)} won games), so this "
        "figure checks the bookkeeping more than it finds anything."
    )
    return Figure("4.2", "Length of games against DTM difference", about,
                  [_grows(link), _lengths(length)])  # fmt: skip


def _grows(link: Interval | None) -> Claim:
    return Claim(
        text="Games grow longer with the DTM difference.",
        ours=f"Over the cells, the correlation is {told(link)}.",
        rule=f"The correlation {BY_SIGN}.",
        judgement=by_sign(link, "higher"),
    )


def _lengths(length: ResampledMeans) -> Claim:
    low, high = paper.LENGTHS
    together = simultaneous(length)
    found = [i for i in together if i is not None]
    outside = sum(i.high < low or i.low > high for i in found)
    mean = percentile_interval(float(length.means.mean()), length.resampled.mean(axis=1))
    span = (
        f"from {numbers.decimal(min(i.value for i in found), 1)} to "
        f"{numbers.decimal(max(i.value for i in found), 1)} moves"
        if found
        else numbers.ABSENT
    )
    return Claim(
        text=f"Games last {low:g} to {high:g} moves on average, by setting.",
        ours=(
            f"Averages of cells run {span}; over all cells "
            f"{numbers.plain_interval(mean, 1)}; {outside} of {len(found)} cells lie "
            "outside the range beyond chance."
        ),
        rule=f"The averages of cells: {BY_RANGE}.",
        judgement=by_range(together, low, high),
    )


def _each(table: Table, measure: str, cells: list[Cell]) -> ResampledMeans:
    return table.curve(measure, [[cell] for cell in cells])
