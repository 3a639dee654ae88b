"""How every network of a mixture does on every phase: a matrix with intervals, and its views."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.training.evaluation import PositionLosses
from phasezoo.training.resampling import Sample, means_of

ALL = "all"
"""Name of the test set of all phases."""

BASELINE, MIXTURE = "baseline", "mixture"
"""Names of the rows that are no expert's."""

METRICS = ("total", "policy", "value", "accuracy", "top3", "top5", "best_three")
"""Names of the measures (see :class:`phasezoo.training.MeanLosses`)."""

RESAMPLES = 1000
"""Draws of test games behind the intervals."""


@dataclass(frozen=True)
class LossCell:
    """One metric of one network on one test set, with 95 % intervals over games."""

    network: str
    """``baseline``, ``mixture``, or the phase whose expert it is."""
    test_set: str
    """The phase whose positions these are, or ``all``."""
    metric: str
    """One of :data:`METRICS`."""
    positions: int
    """Test positions."""
    value: float | None
    """The mean; None over no positions."""
    low: float | None
    """Lower end of its interval."""
    high: float | None
    """Upper end."""
    difference: float | None
    """The mean minus the baseline's; None for the baseline itself."""
    difference_low: float | None
    """Lower end of its interval."""
    difference_high: float | None
    """Upper end."""


@dataclass(frozen=True)
class LossTable:
    """The matrix network x test set of every metric."""

    phases: tuple[str, ...]
    """Names of the phases."""
    games: int
    """Test games."""
    removed: tuple[int, ...]
    """Test positions of each phase that were left out because they occur in train."""
    cells: tuple[LossCell, ...]
    """All cells."""

    def cell(self, network: str, test_set: str = ALL, metric: str = "total") -> LossCell:
        """One cell.

        Raises:
            KeyError: There is no cell of these names.
        """
        wanted = (network, test_set, metric)
        for cell in self.cells:
            if (cell.network, cell.test_set, cell.metric) == wanted:
                return cell
        raise KeyError(wanted)

    @property
    def networks(self) -> tuple[str, ...]:
        """Names of the rows: baseline, experts by their phases, mixture."""
        return tuple(dict.fromkeys(cell.network for cell in self.cells))

    def to_csv(self) -> str:
        """A row for each cell; what does not exist is empty."""
        text = io.StringIO()
        names = list(LossCell.__dataclass_fields__)
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        for cell in self.cells:
            row = vars(cell).items()
            writer.writerow({name: "" if value is None else value for name, value in row})
        return text.getvalue()

    def view(self, metric: str = "total", title: str | None = None) -> Table:
        """One metric's matrix as rich prints it, below each mean its difference to the baseline."""
        share = metric not in ("total", "policy", "value")
        table = Table(
            title=title or _TITLES[metric],
            title_justify="left",
            caption="below: minus the baseline, with 95 % intervals over games",
        )
        table.add_column("network")
        for test_set in (*self.phases, ALL):
            table.add_column(test_set, justify="right")
        for network in self.networks:
            cells = [self.cell(network, test_set, metric) for test_set in (*self.phases, ALL)]
            if network in (BASELINE, MIXTURE):
                table.add_section()
            name = network if network in (BASELINE, MIXTURE) else f"{network} expert"
            table.add_row(name, *(_shown(cell, share=share) for cell in cells))
        return table


_TITLES = {
    "total": "Total loss on test positions of",
    "policy": "Policy loss on test positions of",
    "value": "Value loss on test positions of",
    "accuracy": "Top-1 accuracy on test positions of",
    "top3": "Top-3 accuracy on test positions of",
    "top5": "Top-5 accuracy on test positions of",
    "best_three": "Probability of the best three on test positions of",
}


def loss_table(
    phases: tuple[str, ...],
    rows: Mapping[str, PositionLosses],
    removed: Sequence[int],
    seed: int,
    resamples: int = RESAMPLES,
) -> LossTable:
    """The matrix of a baseline, its experts and their mixture.

    Args:
        phases: Names of the phases, in the gate's order.
        rows: Losses of baseline, experts by phase and mixture, all on the same test positions.
        removed: Test positions of each phase that were left out.
        seed: Draws the test games behind the intervals.
        resamples: Number of draws.
    """
    baseline = rows[BASELINE]
    phase, (_, game) = baseline.phase, np.unique(baseline.game, return_inverse=True)
    games = int(game.max(initial=-1)) + 1
    samples = {
        (row, metric): Sample(losses.columns()[metric][None].astype(np.float64), game, phase)
        for row, losses in rows.items()
        for metric in METRICS
    }
    rng = np.random.default_rng(seed)
    means = means_of(samples, len(phases), games, rng, resamples, widened=False)
    counts = [*np.bincount(phase, minlength=len(phases)).tolist(), len(baseline)]
    cells = []
    for row in rows:
        for kind, test_set in enumerate((*phases, ALL)):
            for metric in METRICS:
                mean = means.mean((row, metric), kind)
                gap = None
                if row != BASELINE:
                    gap = means.difference((row, metric), (BASELINE, metric), kind)
                ends = (*_ends(mean), *_ends(gap))
                cells.append(LossCell(row, test_set, metric, int(counts[kind]), *ends))
    return LossTable(phases, games, tuple(int(n) for n in removed), tuple(cells))


def _ends(found: Interval | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if found is None else (found.value, found.low, found.high)


def _shown(cell: LossCell, *, share: bool) -> str:
    if cell.value is None or math.isnan(cell.value):
        return "–"
    text = f"{cell.value:.1%}" if share else f"{cell.value:.3f}"
    if cell.difference is None or cell.difference_low is None or cell.difference_high is None:
        return text
    scale, digits = (100, 1) if share else (1, 3)
    numbers = (cell.difference, cell.difference_low, cell.difference_high)
    gap, low, high = (f"{scale * number:+.{digits}f}" for number in numbers)
    return f"{text}\n[dim]{gap} ({low}, {high})[/]"
