"""What a curve over sizes tells the console."""

from collections.abc import Sequence

from phasezoo.experiments.m2cts.curve import story
from phasezoo.experiments.m2cts.curve.results import Curve, Results
from phasezoo.report import numbers
from phasezoo.report.console import Console

__all__ = ["show_answer", "show_curves"]


def show_curves(console: Console, curves: Sequence[Curve]) -> None:
    """Every mixture at every size."""
    rows = [
        [
            curve.name,
            numbers.count(point.positions),
            numbers.signed_interval(point.loss),
            numbers.ABSENT if point.elo is None else numbers.elo_interval(point.elo),
        ]
        for curve in curves
        for point in curve.points
    ]
    console.heading("All sizes")
    head = ["", "positions", "total loss − one network", "Elo"]
    console.table("Mixtures beside one network, 95 % intervals", head, rows)


def show_answer(console: Console, results: Results) -> None:
    """Where every mixture draws level."""
    for curve in results.curves:
        console.note(f"{curve.name.capitalize()}: {story.level(curve, results)}")
