"""Joins several runs of ``phasezoo reproduce m2cts`` with other seeds: the mean of their Elo.

    python scripts/mean_of_runs.py docs/results/law/new-weights docs/results/law/more-2 …

prints, for the phase mixture and each variant that all runs have, each run's Elo without the
diagonal, their mean, and the mean with Meier's wider interval
(``docs/definitions/statistics.md#the-mean-of-several-runs``).
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from scipy.stats import t

from phasezoo.arena import Interval
from phasezoo.arena.statistics.crossed_trainings import SKEW_FACTOR
from phasezoo.experiments.catalogue import TWO_PLAYER
from phasezoo.experiments.two_player.matches import Matches
from phasezoo.report import markdown, numbers
from phasezoo.report.document import Column, Table

OWN = "phase mixture"


def mean_of(runs: Sequence[Interval], trainings: Sequence[int], *, meier: bool = False) -> Interval:
    """Weight each run by the inverse of its squared standard error.

    Args:
        runs: 95 % intervals without the diagonal.
        trainings: How many trainings a side each run has.
        meier: Whether to allow for weights that are themselves estimates (Meier 1953).
    """
    freedom = np.array(trainings) - 1
    halves = np.array([run.half_width for run in runs])
    weights = (SKEW_FACTOR * t.ppf(0.975, freedom) / halves) ** 2
    variance, degrees = 1 / weights.sum(), freedom.sum()
    share = weights * variance
    if meier:
        variance *= 1 + 4 * np.sum(share * (1 - share) / freedom)
        degrees = 1 / np.sum(share**2 / freedom)
    mean = float(share @ [run.value for run in runs])
    half = float(SKEW_FACTOR * t.ppf(0.975, degrees)) * math.sqrt(variance)
    return Interval(mean, mean - half, mean + half)


def matches_of(folder: Path) -> dict[str, Matches]:
    """Return the matches of a run by the mixture that played them."""
    results = TWO_PLAYER.results_in(folder)
    variants = {v.name: v.matches for v in results.variants if v.matches is not None}
    return ({} if results.matches is None else {OWN: results.matches}) | variants


def table_of(folders: Sequence[Path]) -> Table:
    """Return the runs' Elo over the one network and over the phase mixture, and the means."""
    runs = [matches_of(folder) for folder in folders]
    rows = []
    for beside in (None, OWN):
        for name in runs[0]:
            if name == beside or not all(name in run for run in runs):
                continue
            found = [run[name].apart(beside and run[beside]) for run in runs]
            if any(each is None for each in found):
                continue
            trainings = [run[name].trainings for run in runs]
            means = [mean_of(found, trainings, meier=meier) for meier in (False, True)]
            label = name if beside is None else f"{name} less {beside}"
            rows.append((label, *map(numbers.elo_interval, [*found, *means])))
    heads = ["Elo over one network", *(folder.name for folder in folders), "mean", "Meier's"]
    return Table("mean", [Column(head, number) for number, head in enumerate(heads)], rows)


def main(folders: Annotated[tuple[Path, ...], tyro.conf.Positional]) -> None:
    """Print the table."""
    print(markdown.grid(table_of(folders)))


if __name__ == "__main__":
    tyro.cli(main)
