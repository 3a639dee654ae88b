"""The loss matrix as CSV, for other programs."""

import csv
import io

from phasezoo.experiments.m2cts.duel.results import METRICS, Losses

__all__ = ["losses_csv"]


def losses_csv(losses: Losses) -> str:
    """One row per network and test set; empty cells if there were no positions."""
    head = ["name", "role", "phase", "test_set", "positions", *METRICS]
    head += [f"{m}_minus_baseline{end}" for m in METRICS for end in ("", "_low", "_high")]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    for entry in losses.entries:
        for column in losses.columns:
            cell, difference = entry.cells[column], entry.differences.get(column)
            row = [entry.name, entry.role, entry.phase, column, cell.positions]
            row += [getattr(cell, metric) for metric in METRICS]
            for metric in METRICS:
                interval = getattr(difference, metric) if difference else None
                ends = ("value", "low", "high")
                row += [getattr(interval, end) if interval else None for end in ends]
            writer.writerow(["" if value is None else value for value in row])
    return text.getvalue()
