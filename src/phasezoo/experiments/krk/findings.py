"""From finished games to everything the report says about them."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from phasezoo.experiments.krk import paper
from phasezoo.experiments.krk.cells import Cell
from phasezoo.experiments.krk.collapse_figure import collapse_figure
from phasezoo.experiments.krk.config import KrkConfig, Variant
from phasezoo.experiments.krk.constant_figure import constant_figure
from phasezoo.experiments.krk.ending_table import ending_table
from phasezoo.experiments.krk.length_figure import length_figure
from phasezoo.experiments.krk.play import GameRow
from phasezoo.experiments.krk.reading_table import reading_table
from phasezoo.experiments.krk.resampling import Table, intervals, table_of
from phasezoo.experiments.krk.results import (
    CellSummary,
    EndingSummary,
    Figure,
    ReadingSummary,
    VariantSummary,
)
from phasezoo.experiments.krk.root_figures import root_figures
from phasezoo.experiments.krk.threshold_figure import threshold_figure

__all__ = ["Findings", "find"]


class Findings(NamedTuple):
    """What games say; all but the last two of king and rook by the run's own reading."""

    variants: list[VariantSummary]
    cells: list[CellSummary]
    figures: list[Figure]
    """The study's, in order."""
    readings: list[ReadingSummary]
    endings: list[EndingSummary]


def find(games: Sequence[GameRow], config: KrkConfig) -> Findings:
    """Summarise the games and compare them with the study's claims.

    Args:
        games: Finished games in a fixed order.
        config: The settings they were played with.
    """
    rows = [row for row in games if not (row.cell.reading or row.cell.ending)]
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
        read = [row for row in games if not row.cell.ending]
        readings = reading_table(table_of(read, config.seed, config.resamples), read, config)
    endings = []
    if config.endings:
        played = [row for row in games if not row.cell.reading]
        endings = ending_table(table_of(played, config.seed, config.resamples), played, config)
    return Findings(variants, _cells(rows, table), figures, readings, endings)


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
