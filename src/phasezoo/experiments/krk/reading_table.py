"""The table of readings: what each thing that the author's program does otherwise changes."""

from collections.abc import Sequence

import numpy as np

from phasezoo.arena.elo import Interval
from phasezoo.experiments.krk.cells import Cell, grid_of
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.judging import simultaneous
from phasezoo.experiments.krk.play import GameRow
from phasezoo.experiments.krk.resampling import Table
from phasezoo.experiments.krk.results import Choice, ReadingSummary
from phasezoo.experiments.krk.trends import choice
from phasezoo.experiments.statistics import ResampledMeans, percentile_interval
from phasezoo.report import numbers

__all__ = ["base_of", "best_constant", "interval_of", "mean_over", "reading_table"]


def reading_table(table: Table, rows: Sequence[GameRow], config: KrkConfig) -> list[ReadingSummary]:
    """Summarise every reading over the same cells, and compare it with the one it changes.

    Args:
        table: Means of all cells of all readings.
        rows: All games.
        config: The settings of the run.

    Returns:
        The run's own reading first; nothing if no other was played.
    """
    names = [config.reading, *config.compared()]
    if len(names) == 1:
        return []
    lengths = {name: mean_over(table, "length", _cells(config, name)) for name in names}
    changed = {name: base_of(name) for name in names if base_of(name) in names}
    changes = _changes(table, config, changed)
    return [
        ReadingSummary(
            reading=name,
            games=len(own := [row for row in rows if _is_of(row.cell, name, config)]),
            won=sum(row.won for row in own),
            length=interval_of(lengths[name]),
            base=changed.get(name),
            change=changes.get(name),
            best=[
                best_constant(table, config, _cells(config, name), budget)
                for budget in config.budgets
            ],
        )
        for name in names
    ]


def base_of(reading: str) -> str | None:
    """The reading that this one differs from in one thing; None of those two themselves."""
    for base in ("thesis", "author"):
        if reading.startswith(base) and reading != base:
            return base
    return None


def _is_of(cell: Cell, name: str, config: KrkConfig) -> bool:
    return cell.variant == "uct" and (cell.reading or config.reading) == name


def _cells(config: KrkConfig, name: str) -> list[Cell]:
    return grid_of(config, reading="" if name == config.reading else name)


def mean_over(table: Table, measure: str, cells: list[Cell]) -> ResampledMeans:
    """A measure's mean, each cell with equal weight; cells without any are left out."""
    return _averaged(table.curve(measure, [[cell] for cell in cells]))


def _averaged(each: ResampledMeans) -> ResampledMeans:
    """The mean over cells of numbers that exist, the same cells in every draw.

    A draw that leaves one of them without a number has no mean: that of the others is another.
    """
    kept = np.isfinite(each.means)
    if not kept.any():
        return ResampledMeans(np.asarray(np.nan), np.full(len(each.resampled), np.nan))
    drawn = each.resampled[:, kept].mean(axis=1)
    return ResampledMeans(np.asarray(each.means[kept].mean()), drawn)


def _changes(
    table: Table, config: KrkConfig, changed: dict[str, str | None]
) -> dict[str, Interval | None]:
    """Changes of the length against the base, by intervals that hold for all of them together.

    Of two readings the settings are compared in which both won games: where one of them wins none,
    it has no length, and the others would be another mean.
    """
    pairs = [(name, base) for name, base in changed.items() if base is not None]
    if not pairs:
        return {}
    gaps = [_gap(table, _cells(config, name), _cells(config, base)) for name, base in pairs]
    found = ResampledMeans(
        np.array([float(gap.means) for gap in gaps]),
        np.stack([gap.resampled for gap in gaps], axis=1),
    )
    return dict(zip((name for name, _ in pairs), simultaneous(found), strict=True))


def _gap(table: Table, cells: list[Cell], base: list[Cell]) -> ResampledMeans:
    """The mean over settings of the difference of lengths, of those that both have lengths of."""
    own, other = (table.curve("length", [[cell] for cell in each]) for each in (cells, base))
    return _averaged(ResampledMeans(own.means - other.means, own.resampled - other.resampled))


def interval_of(sample: ResampledMeans) -> Interval | None:
    """The 95 % interval of one number; None if it does not exist."""
    return percentile_interval(float(sample.means), sample.resampled)


def best_constant(table: Table, config: KrkConfig, cells: list[Cell], budget: int) -> Choice:
    """Where the DTM difference of the cells is lowest over C, averaged over T."""
    groups = [
        [cell for cell in cells if cell.constant == c and cell.budget == budget]
        for c in map(float, config.constants)
    ]
    curve = table.curve("difference", groups)
    return choice(f"{numbers.count(budget)} simulations", "C", config.constants, curve)
