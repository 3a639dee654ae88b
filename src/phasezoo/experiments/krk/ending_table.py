"""The table of endings: the same search against a lone king, by the pieces that it has."""

from collections.abc import Sequence

from phasezoo.experiments.krk.cells import grid_of
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.endings import ENDINGS, KRK, Ending
from phasezoo.experiments.krk.play import GameRow
from phasezoo.experiments.krk.reading_table import best_constant, interval_of, mean_over
from phasezoo.experiments.krk.resampling import Table
from phasezoo.experiments.krk.results import EndingSummary

__all__ = ["ending_table"]


def ending_table(table: Table, rows: Sequence[GameRow], config: KrkConfig) -> list[EndingSummary]:
    """Summarise every ending over the same cells.

    Args:
        table: Means of all cells of all endings, of the run's own reading.
        rows: Their games.
        config: The settings of the run.

    Returns:
        King and rook first.
    """
    others = [(name, ENDINGS[name]) for name in config.endings]
    return [_summary(table, rows, config, *one) for one in [("", KRK), *others]]


def _summary(
    table: Table, rows: Sequence[GameRow], config: KrkConfig, name: str, ending: Ending
) -> EndingSummary:
    cells = grid_of(config, ending=name)
    own = [row for row in rows if row.cell.variant == "uct" and row.cell.ending == name]
    length, difference = (mean_over(table, each, cells) for each in ("length", "difference"))
    return EndingSummary(
        ending=ending.title,
        mate_in=ending.mate_in,
        games=len(own),
        won=sum(row.won for row in own),
        gave_away=sum(row.given_away > 0 for row in own),
        length=interval_of(length),
        difference=interval_of(difference),
        best=[best_constant(table, config, cells, budget) for budget in config.budgets],
    )
