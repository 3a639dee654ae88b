"""Means of every cell with their bootstrap over games, and curves through cells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.arena import stream
from phasezoo.arena.elo import Interval
from phasezoo.experiments.krk.cells import Cell
from phasezoo.experiments.krk.play import GameRow
from phasezoo.experiments.statistics import (
    ResampledMeans,
    percentile_interval,
    resample_games,
    widening,
)

__all__ = ["MEASURES", "Array", "Table", "average", "intervals", "table_of"]

Array: TypeAlias = npt.NDArray[np.float64]

MEASURES: dict[str, Callable[[GameRow], tuple[float, float]]] = {
    "difference": lambda row: (sum(row.finite), len(row.finite)),
    "length": lambda row: (row.moves * row.won, row.won),
    "collapses": lambda row: (row.collapses, 1),
    "visits spread": lambda row: (_spread(row.first.visits), 1),
    "mates spread": lambda row: (_spread(row.first.mates), 1),
    "visits a mate": lambda row: (sum(row.first.visits), sum(row.first.mates)),
}
"""What is averaged: a game's part of the numerator and of the denominator. A cell's mean is the
ratio of the sums over its games."""


@dataclass(frozen=True)
class Table:
    """Means of all measures in all cells, ``float64[N, M]``, resampled ``float64[R, N, M]``."""

    cells: list[Cell]
    means: Array
    resampled: Array

    def curve(self, measure: str, groups: Sequence[Sequence[Cell]]) -> ResampledMeans:
        """One point per group of cells: the mean over its cells, each with equal weight.

        A cell without games, or a group without cells, makes the point NaN.

        Returns:
            Means ``float64[X]`` and their resampled counterparts ``float64[R, X]``.
        """
        column = list(MEASURES).index(measure)
        place_of = {cell: place for place, cell in enumerate(self.cells)}
        means = np.full(len(groups), np.nan)
        resampled = np.full((len(self.resampled), len(groups)), np.nan)
        for i, group in enumerate(groups):
            if group and all(cell in place_of for cell in group):
                places = [place_of[cell] for cell in group]
                means[i] = self.means[places, column].mean()
                resampled[:, i] = self.resampled[:, places, column].mean(axis=1)
        return ResampledMeans(means, resampled)


def table_of(rows: Sequence[GameRow], seed: int, resamples: int) -> Table:
    """Average every measure over the games of each cell, and over draws of them.

    Games are drawn with replacement within each cell (each cell has a stream of its own,
    so the draws of a cell do not depend on which other cells there are).

    Args:
        rows: Finished games.
        seed: Seed of the run.
        resamples: Number R of draws.
    """
    by_cell: dict[Cell, list[GameRow]] = {}
    for row in rows:
        by_cell.setdefault(row.cell, []).append(row)
    means = np.empty((len(by_cell), len(MEASURES)))
    resampled = np.empty((resamples, len(by_cell), len(MEASURES)))
    for place, (cell, games) in enumerate(by_cell.items()):
        parts = np.array([[m(row) for m in MEASURES.values()] for row in games], dtype=float)
        name = f"{cell.variant} {cell.constant:g} {cell.threshold} {cell.budget} {cell.reading}"
        name = f"{name} {cell.ending}".rstrip()
        rng = np.random.default_rng(stream(seed, "resampling", name, games[0].number))
        found = resample_games(parts[..., 0], parts[..., 1], rng, resamples)
        means[place] = found.means
        resampled[:, place] = found.means + widening(len(games)) * (found.resampled - found.means)
    return Table(list(by_cell), means, resampled)


def average(samples: Sequence[ResampledMeans]) -> ResampledMeans:
    """The mean of several estimates, resample by resample."""
    return ResampledMeans(
        np.mean([s.means for s in samples], axis=0),
        np.mean([s.resampled for s in samples], axis=0),
    )


def intervals(sample: ResampledMeans) -> list[Interval | None]:
    """A 95 % interval for every point; None if there is none."""
    points = zip(sample.means, sample.resampled.T, strict=True)
    return [percentile_interval(float(mean), draws) for mean, draws in points]


def _spread(values: Sequence[float]) -> float:
    # Over the root's children as they are, not an estimate for more of them.
    return float(np.std(values)) if values else 0.0
