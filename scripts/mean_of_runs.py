"""Joins several runs of ``phasezoo reproduce m2cts`` with other seeds: the mean of their Elo.

    python scripts/mean_of_runs.py docs/results/law/new-weights docs/results/law/more-2 …

prints, for the phase mixture and each variant that all runs have, each run's Elo without the
diagonal, their mean, and the mean with Meier's wider interval
(``docs/definitions/statistics.md#the-mean-of-several-runs``).
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from scipy.stats import t
from tyro.conf import Positional

from phasezoo.arena import Interval
from phasezoo.arena.statistics.crossed_trainings import SKEW_FACTOR
from phasezoo.experiments.catalogue import TWO_PLAYER
from phasezoo.experiments.two_player.matches import Matches
from phasezoo.experiments.two_player.report_mixtures import elo_comparison
from phasezoo.report import markdown, numbers
from phasezoo.report.document import Column, Figure, Table
from phasezoo.report.plots import PHASE, Estimate

OWN = "phase mixture"
WORDS = {
    OWN: "separated experts",
    "separated:value=shared mixture": "their policies, one value",
    "separated:phases=endgame mixture": "the endgame's expert alone",
}
"""Headings of the drawing; other variants keep their names."""


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


def estimates_of(folders: Sequence[Path]) -> dict[str, list[Interval]]:
    """Return each mixture's Elo over the one network, and over the phase mixture.

    Each list has the runs' intervals, their mean, and the mean with Meier's interval.
    """
    runs = [matches_of(folder) for folder in folders]
    found = {}
    for beside in (None, OWN):
        for name in runs[0]:
            if name == beside or not all(name in run for run in runs):
                continue
            each = [run[name].apart(beside and run[beside]) for run in runs]
            if any(interval is None for interval in each):
                continue
            trainings = [run[name].trainings for run in runs]
            means = [mean_of(each, trainings, meier=meier) for meier in (False, True)]
            found[name if beside is None else f"{name} less {beside}"] = [*each, *means]
    return found


def picture_of(estimates: Mapping[str, Sequence[Interval]], labels: Sequence[str]) -> Figure:
    """Draw the runs and their mean for every mixture that played the one network."""
    groups = [
        (
            WORDS.get(name, name),
            [
                Estimate(label, interval, PHASE, strong=label == labels[-1])
                for label, interval in zip(labels, each, strict=False)
            ],
        )
        for name, each in estimates.items()
        if " less " not in name
    ]
    return elo_comparison("mean", groups, "")


def main(folders: Annotated[tuple[Path, ...], Positional], figure: Path | None = None) -> None:
    """Print the table.

    Args:
        folders: Runs.
        figure: Where to draw them too, such as ``docs/images/law.svg``.
    """
    estimates = estimates_of(folders)
    heads = ["Elo over one network", *(folder.name for folder in folders), "mean", "Meier's"]
    rows = [(name, *map(numbers.elo_interval, each)) for name, each in estimates.items()]
    columns = [Column(head, number) for number, head in enumerate(heads)]
    print(markdown.grid(Table("mean", columns, rows)))
    if figure is not None:
        labels = [f"run {number}" for number in range(1, len(folders) + 1)] + ["mean"]
        picture_of(estimates, labels).draw().savefig(figure, facecolor="white")


if __name__ == "__main__":
    tyro.cli(main)
