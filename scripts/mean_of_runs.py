"""Means of several runs of ``phasezoo reproduce m2cts`` that differ by seed.

    python scripts/mean_of_runs.py docs/results/law/new-weights docs/results/law/more-2 …

prints, for the phase mixture and each variant that all runs have, each run's Elo without the
diagonal, their mean, and the mean with Meier's wider interval
(``docs/definitions/statistics.md#the-mean-of-several-runs``).
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from scipy.stats import t
from tyro.conf import Positional

from phasezoo.arena import Interval
from phasezoo.arena.statistics.crossed_trainings import SKEW_FACTOR, off_diagonal
from phasezoo.experiments.catalogue import TWO_PLAYER
from phasezoo.experiments.two_player.matches import Matches
from phasezoo.experiments.two_player.report_mixtures import elo_comparison
from phasezoo.report import markdown, numbers
from phasezoo.report.document import Column, Figure, Table
from phasezoo.report.plots import PHASE, Estimate

OWN = "phase mixture"
WORDS = {
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
    """Return the matches of a run by the mixture, or the search, that played them."""
    results = TWO_PLAYER.results_in(folder)
    own = [] if results.matches is None else [(OWN, results.matches)]
    others = [(each.name, each.matches) for each in (*results.variants, *results.searches)]
    return {name: matches for name, matches in (*own, *others) if matches is not None}


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
                message = "a run has fewer than three trainings a side: leave it out"
                raise SystemExit(message)
            trainings = [run[name].trainings for run in runs]
            means = [mean_of(each, trainings, meier=meier) for meier in (False, True)]
            found[name if beside is None else f"{name} less {beside}"] = [*each, *means]
    return found


def picture_of(
    estimates: Mapping[str, Sequence[Interval]], words: Mapping[str, str], runs: int
) -> Figure:
    """Draw the runs and their mean for every mixture that played the one network."""
    labels = [*(f"run {number}" for number in range(1, runs + 1)), "mean"]
    groups = [
        (
            words.get(name, name),
            [
                Estimate(label, interval, PHASE, strong=label == labels[-1])
                for label, interval in zip(labels, each, strict=False)
            ],
        )
        for name, each in estimates.items()
        if " less " not in name
    ]
    return elo_comparison("mean", groups, "")


def simulate(matches: int, sizes: Sequence[int] = (8, 12, 12, 12)) -> Table:
    """Return how often both intervals hold the mean, with 20 games a pairing.

    Effects of trainings are normal or negatively exponential, of both sides and correlated, or of
    one side alone.
    """
    random, rows = np.random.default_rng(1), []
    kinds = {
        "normal": lambda n: random.normal(size=n),
        "negatively exponential": lambda n: 1 - random.exponential(size=n),
    }
    for kind, draw in kinds.items():
        for spread, sides, correlation in itertools.product((0.03, 0.1), (1, 2), (0.0, 0.7)):
            if sides == 1 and correlation:
                continue
            held = np.zeros(2)
            for _ in range(matches):
                runs = []
                for size in sizes:
                    first, second = spread * draw(size), (sides - 1) * spread * draw(size)
                    second = correlation * first + math.sqrt(1 - correlation**2) * second
                    games = 0.35 / math.sqrt(20) * random.normal(size=(size, size))
                    mean, half = off_diagonal(first[:, None] - second + games)
                    runs.append(Interval(mean, mean - half, mean + half))
                for meier in (False, True):
                    found = mean_of(runs, sizes, meier=meier)
                    held[int(meier)] += found.low <= 0 <= found.high
            rows.append((kind, spread, sides, correlation, *(f"{h / matches:.1%}" for h in held)))
    heads = ("effects", "deviation", "sides", "correlation", "held", "Meier's")
    return Table("held", [Column(head, number) for number, head in enumerate(heads)], rows)


def main(
    folders: Annotated[tuple[Path, ...], Positional] = (),
    figure: Path | None = None,
    simulated: int = 0,
) -> None:
    """Print the table.

    Args:
        folders: Runs, two or more.
        figure: Where to draw them too, such as ``docs/images/law.svg``.
        simulated: Simulate so many sets of runs instead.
    """
    if simulated:
        print(markdown.grid(simulate(simulated)))
        return
    if len(folders) < 2:
        message = "give the folders of two runs or more"
        raise SystemExit(message)
    estimates = estimates_of(folders)
    heads = ["Elo over one network", *(folder.name for folder in folders), "mean", "Meier's"]
    rows = [(name, *map(numbers.elo_interval, each)) for name, each in estimates.items()]
    columns = [Column(head, number) for number, head in enumerate(heads)]
    print(markdown.grid(Table("mean", columns, rows)))
    if figure is not None:
        words = WORDS | {OWN: f"{TWO_PLAYER.results_in(folders[0]).config.strategy} experts"}
        picture_of(estimates, words, len(folders)).draw().savefig(figure, facecolor="white")


if __name__ == "__main__":
    tyro.cli(main)
