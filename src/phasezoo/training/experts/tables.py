"""How every network of a mixture does on every phase: a matrix with intervals, and its views."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.frames import csv_text
from phasezoo.report import numbers
from phasezoo.report.document import Column, Table, columns_by
from phasezoo.training.evaluation import PositionLosses
from phasezoo.training.resampling import Sample, means_of

ALL = "all"
"""Name of the test set of all phases."""

BASELINE, MIXTURE = "baseline", "mixture"
"""Names of the rows that are no expert's."""

LOSSES = ("total", "policy", "value")
METRICS = (*LOSSES, "accuracy", "top3", "top5", "best_three")
"""Names of the measures (see :class:`phasezoo.training.MeanLosses`): losses, and shares."""

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
        return csv_text(LossCell.__dataclass_fields__, (vars(cell).values() for cell in self.cells))

    def view(self, metric: str = "total", title: str | None = None) -> Table:
        """One metric's matrix: means, and their differences to the baseline."""
        columns = columns_by(
            (*self.phases, ALL),
            lambda network, test_set: self.cell(network, test_set, metric),
            _mean_text,
            below=lambda network, test_set: _interval_text(self.cell(network, test_set, metric)),
        )
        return Table(
            metric,
            [Column("network", str), *columns],
            self.networks,
            title or f"{_TITLES[metric]} (a phase's name is that of its expert)",
            note="In brackets: minus the baseline, and below the 95 % interval of that over games.",
        )


_TITLES = {
    "total": "Total loss on test positions",
    "policy": "Policy loss on test positions",
    "value": "Value loss on test positions",
    "accuracy": "Top-1 accuracy on test positions",
    "top3": "Top-3 accuracy on test positions",
    "top5": "Top-5 accuracy on test positions",
    "best_three": "Probability of the best three on test positions",
}


def loss_table(
    phases: tuple[str, ...],
    rows: Mapping[str, PositionLosses],
    removed: Sequence[int],
    seed: int,
    resamples: int = RESAMPLES,
) -> LossTable:
    """The matrix of a baseline, its experts and their mixture."""
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


def _mean_text(cell: LossCell) -> str:
    """The mean, with its difference to the baseline in brackets."""
    if cell.metric in LOSSES:
        text, gap = numbers.decimal(cell.value), numbers.signed(cell.difference)
    else:
        text, gap = numbers.percent(cell.value), _points(cell.difference)
    return text if cell.difference is None else f"{text} ({gap})"


def _interval_text(cell: LossCell) -> str:
    """Both ends of the difference's interval."""
    if cell.difference_low is None or cell.difference_high is None:
        return ""
    form = numbers.signed if cell.metric in LOSSES else _points
    return f"{form(cell.difference_low)}, {form(cell.difference_high)}"


def _points(share: float | None) -> str:
    return numbers.signed(None if share is None else 100 * share, 1)
