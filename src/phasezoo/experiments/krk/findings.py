"""From finished games to everything the report says about them."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from phasezoo.experiments.krk import paper
from phasezoo.experiments.krk.cells import Cell
from phasezoo.experiments.krk.collapse_figure import collapse_figure
from phasezoo.experiments.krk.config import KrkConfig, Variant
from phasezoo.experiments.krk.constant_figure import constant_figure
from phasezoo.experiments.krk.length_figure import length_figure
from phasezoo.experiments.krk.play import GameRow
from phasezoo.experiments.krk.reading_table import reading_table
from phasezoo.experiments.krk.resampling import Table, intervals, table_of
from phasezoo.experiments.krk.results import CellSummary, Figure, ReadingSummary, VariantSummary
from phasezoo.experiments.krk.root_figures import root_figures
from phasezoo.experiments.krk.threshold_figure import threshold_figure

__all__ = ["find"]


def find(
    games: Sequence[GameRow], config: KrkConfig
) -> tuple[list[VariantSummary], list[CellSummary], list[Figure], list[ReadingSummary]]:
    """Summarise the games and compare them with the study's claims.

    Args:
        games: Finished games in a fixed order.
        config: The settings they were played with.

    Returns:
        A summary of each variant and of each cell, the study's figures in order, and the table of
        readings; all but the last are of the run's own reading.
    """
    rows = [row for row in games if not row.cell.reading]
    table = table_of(rows, config.seed, config.resamples)
    variants = [_variant(v, [r for r in rows if r.cell.variant == v]) for v in config.variants]
    own = next(v for v in variants if v.variant == "uct")
    figures = [
        length_figure(table, own),
        *root_figures(table, config),
        collapse_figure(table, rows, config),
        constant_figure(table, config),
        threshold_figure(table, config),
    ]
    readings = []
    if config.readings:
        whole = table_of(games, config.seed, config.resamples)
        readings = reading_table(whole, games, config)
    return variants, _cells(rows, table), figures, readings


def _variant(variant: Variant, rows: Sequence[GameRow]) -> VariantSummary:
    return VariantSummary(
        variant=variant,
        cells=len({row.cell for row in rows}),
        games=len(rows),
        won=sum(row.won for row in rows),
        gave_away_games=sum(row.given_away > 0 for row in rows),
        gave_away_moves=sum(row.given_away for row in rows),
        moves=sum(row.moves for row in rows),
        identities=sum(row.won and row.moves == paper.MATE_IN + sum(row.finite) for row in rows),
        reasons=dict(Counter(row.reason for row in rows).most_common()),
        rollout_plies=sum(row.rollout_plies for row in rows),
        seconds=sum(row.seconds for row in rows),
    )


def _cells(rows: Sequence[GameRow], table: Table) -> list[CellSummary]:
    played: dict[Cell, list[GameRow]] = {}
    for row in rows:
        played.setdefault(row.cell, []).append(row)
    each = [[cell] for cell in played]
    difference, length, collapses = (
        intervals(table.curve(name, each)) for name in ("difference", "length", "collapses")
    )
    return [
        CellSummary(
            cell=cell,
            games=len(games),
            won=sum(row.won for row in games),
            gave_away=sum(row.given_away > 0 for row in games),
            difference=difference[i],
            length=length[i],
            collapses=collapses[i],
            simulations=float(np.mean([row.simulations for row in games])),
            seconds=float(np.mean([row.seconds for row in games])),
        )
        for i, (cell, games) in enumerate(played.items())
    ]
