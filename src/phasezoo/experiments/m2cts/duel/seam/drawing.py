"""The drawing of what happens around a boundary."""

from typing import Any

from markupsafe import Markup

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.duel.seam.results import Seam, SeamPlace
from phasezoo.report import numbers, plots

__all__ = ["around_a_boundary"]


def around_a_boundary(seam: Seam) -> Markup:
    """Draw experts' differences and changes from ply to ply, by plies from the boundary."""
    figure, (left, right) = plots.axes(7.6, 3.1, columns=2)
    plots.entitle(left, "Two experts, one position")
    _draw(left, seam, "experts", "the phases’ two experts", plots.PHASE)
    _draw(left, seam, "placebo", "any two of the placebo", plots.PLACEBO)
    plots.entitle(right, "One ply to the next")
    _draw(right, seam, "mixture", "mixture", plots.PHASE)
    _draw(right, seam, "one", "one network", plots.INK)
    for plot in (left, right):
        plot.axvline(-0.5, color=plots.GRID, linewidth=1.2)
        plot.set_xlabel("plies since the new phase began")
        plot.set_ylim(bottom=0)
        plot.set_xticks([place.offset for place in seam.places])
        if plot.get_legend_handles_labels()[0]:
            plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK)
    left.set_ylabel("mean difference of values")
    right.set_ylabel("mean change of the value")
    words = [
        f"{place.offset}: experts {numbers.plain_interval(place.experts, 3)}, mixture's change "
        f"{numbers.plain_interval(place.mixture, 3)}, one network's "
        f"{numbers.plain_interval(place.one, 3)}"
        for place in seam.places
    ]
    text = f"Differences and changes of values by plies from a boundary. {'; '.join(words)}."
    return plots.to_svg(figure, "seam", text)


def _draw(plot: Any, seam: Seam, name: str, label: str, colour: str) -> None:
    found = [(place.offset, _known(place, name)) for place in seam.places]
    drawn = [(offset, interval) for offset, interval in found if interval is not None]
    if drawn:
        x, intervals = zip(*drawn, strict=True)
        plots.with_intervals(plot, x, intervals, label, colour)


def _known(place: SeamPlace, name: str) -> Interval | None:
    """What can be drawn: of too few games there is no interval."""
    interval: Interval | None = getattr(place, name)
    return interval if interval is not None and interval.is_known else None
