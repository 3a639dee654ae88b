"""The report's drawings, each made from results alone and described in words."""

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.curve.results import Curve, Point
from phasezoo.report import numbers, plots

__all__ = ["elo", "losses"]

_WIDTH = 7.6
"""Inches of a full-width drawing."""


def losses(curves: Sequence[Curve]) -> Markup | None:
    """Draw each mixture's test loss less the one network's by size; None if there is none."""
    return _drawn(curves, lambda point: point.loss, "loss", "test loss − one network’s")


def elo(curves: Sequence[Curve]) -> Markup | None:
    """Draw each mixture's Elo over one network by size; None if none played.

    Where all games were won or lost there is no finite Elo, and no point.
    """
    return _drawn(curves, _finite_elo, "elo", "Elo over one network")


def _finite_elo(point: Point) -> Interval | None:
    return point.elo if point.elo is not None and math.isfinite(point.elo.value) else None


def _drawn(
    curves: Sequence[Curve], number: Callable[[Point], Interval | None], name: str, label: str
) -> Markup | None:
    if all(number(point) is None for curve in curves for point in curve.points):
        return None
    figure, plot = plots.axes(_WIDTH, 3.2)
    plot.axhline(0, color=plots.BASELINE, linewidth=1)
    told = []
    for place, curve in enumerate(curves):
        known = [(p.positions, found) for p in curve.points if (found := number(p)) is not None]
        if not known:
            continue
        # Side by side, so that intervals do not lie on each other.
        x = [positions * 1.03**place for positions, _ in known]
        plots.with_intervals(plot, x, [found for _, found in known], curve.name, _colour(place))
        told += [
            f"{curve.name} at {numbers.count(positions)} {numbers.signed(found.value)}"
            for positions, found in known
        ]
    sizes = [point.positions for point in curves[0].points]
    plot.set_xscale("log")
    plot.set_xticks(sizes, [numbers.count(size) for size in sizes], minor=False)
    plot.set_xticks([], minor=True)
    plot.set_xlabel("training positions (logarithmic)")
    plot.set_ylabel(label)
    plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK)
    return plots.to_svg(
        figure, f"curve-{name}", f"{label} by training positions: {'; '.join(told)}."
    )


def _colour(place: int) -> str:
    colours = (plots.PHASE, plots.PLACEBO, plots.PAPER, plots.INK, plots.MUTED, plots.BASELINE)
    return colours[place % len(colours)]
