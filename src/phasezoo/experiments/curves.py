"""Curves of a quantity over a setting: figures and tables of them, and where they are lowest."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.statistics import Estimates
from phasezoo.report import numbers, plots
from phasezoo.report.document import Column, Figure, Section, Table, columns_by, estimate

_LOG_RATIO = 20
"""A panel whose curves differ by more than this factor gets a logarithmic axis."""


@dataclass(frozen=True)
class Curve:
    """A quantity at the values of a setting."""

    name: str
    """Which curve."""
    axis: str
    """The setting."""
    values: Sequence[float]
    """Its values."""
    found: Estimates
    """The quantity at each."""
    claimed: Sequence[float] = ()
    """Values of which a publication says that one is best."""
    colour: str = ""
    """Colour of the line; empty for one by its place in the panel."""

    @property
    def contenders(self) -> list[float]:
        """Values that may be best, with 95 %."""
        return [self.values[place] for place in self.found.contenders]


@dataclass(frozen=True)
class Panel:
    """Curves over the same values."""

    title: str
    """Which curves; empty in a figure of one panel."""
    unit: str
    """Quantity of the vertical axis."""
    curves: Sequence[Curve]
    """The curves, one or more."""
    limits: tuple[float, float] | None = None
    """Part of the vertical axis that is drawn; None for all of it."""

    @property
    def axis(self) -> str:
        """Variable of the horizontal axis."""
        return self.curves[0].axis

    @property
    def values(self) -> Sequence[float]:
        """Values of that."""
        return self.curves[0].values


def general(values: Sequence[float]) -> str:
    """Return values as running text has them."""
    return ", ".join(f"{value:g}" for value in values)


def panels_figure(name: str, title: str, panels: Sequence[Panel], caption: str) -> Figure:
    """Show panels of curves with their 95 % bands."""
    count = len(panels)
    # Many small panels have one legend, so they must show the same lines.
    alike = len({tuple(curve.name for curve in panel.curves) for panel in panels}) == 1
    columns = 1 if count == 1 else 4 if alike and count > 4 else 2
    rows = math.ceil(count / columns)

    def draw() -> Any:
        height = 3.4 if count == 1 else (3.5 if columns == 2 else 1.75) * rows
        figure, made = plots.axes(plots.WIDTH, height, columns=columns, rows=rows)
        axes = [made] if count == 1 else list(made)
        for plot, panel in zip(axes, panels, strict=False):
            _draw_panel(plot, panel, columns)
        for plot in axes[count:]:
            plot.set_axis_off()
        if columns > 2:
            handles, _ = axes[0].get_legend_handles_labels()
            plots.legend_below(figure, handles, len(handles))
        return figure

    return Figure(name, draw, caption, f"{title}. {_words(panels)}")


def lowest_figure(name: str, curves: Sequence[Curve], caption: str) -> Figure:
    """Show where resamples have each curve lowest; values that are claimed best are shaded."""

    def draw() -> Any:
        figure, made = plots.axes(plots.WIDTH, 2.3, columns=len(curves), sharey=True)
        axes = [made] if len(curves) == 1 else list(made)
        for plot, curve in zip(axes, curves, strict=True):
            for place, value in enumerate(curve.values):
                if value in curve.claimed:
                    plot.axvspan(place - 0.5, place + 0.5, color=plots.PAPER, alpha=0.16,
                                 linewidth=0)  # fmt: skip
            heights = [100 * share for share in curve.found.shares]
            plot.bar(range(len(heights)), heights, color=plots.PHASE, width=0.74)
            _label(plot, curve.values, small=False)
            plot.set_xlabel(curve.axis)
            plot.set_ylim(0, 100)
            plots.entitle(plot, curve.name)
        axes[0].set_ylabel("% of resamples")
        return figure

    words = "; ".join(
        f"{one.name}: "
        + ", ".join(
            f"{one.axis} = {value:g} {numbers.percent(share, 0)}"
            for value, share in zip(one.values, one.found.shares, strict=True)
            if share
        )
        for one in curves
    )
    return Figure(name, draw, caption, f"Where the curve is lowest. {words}.")


def lowest_table(name: str, curves: Sequence[Curve], caption: str) -> Table:
    """Return where resamples have each curve lowest, a row each; darker where more of them do."""
    axis = curves[0].axis

    def share(row: Curve, place: int) -> float:
        return row.found.shares[place]

    columns = [
        Column(f"{axis}:", "name"),
        *columns_by(
            range(len(curves[0].values)),
            share,
            partial(numbers.percent, digits=0),
            head=lambda place: f"{curves[0].values[place]:g}",
            tone=share,
            marked=lambda row, place: curves[0].values[place] in row.claimed,
        ),
        Column(f"{axis} that may be best", lambda row: general(row.contenders), prose=True),
    ]
    return Table(name, columns, curves, caption)


def numbers_behind(name: str, title: str, panels: Sequence[Panel]) -> Section:
    """Return the numbers of a figure's panels, folded."""
    tables = [
        Table(
            f"{name} {panel.title or title}",
            [
                Column("", "name"),
                *(
                    _point(f"{panel.axis} = {value:g}", place)
                    for place, value in enumerate(panel.values)
                ),
            ],
            panel.curves,
            f"{panel.title}: {panel.unit}" if panel.title else panel.unit,
        )
        for panel in panels
    ]
    return Section("The numbers", tables, folded=True)


def _point(head: str, place: int) -> Column:
    def of(curve: Curve) -> Interval | None:
        return curve.found.each[place]

    return estimate(head, of, lambda value: numbers.decimal(value, 0 if abs(value) >= 100 else 3))


def _draw_panel(plot: Any, panel: Panel, columns: int) -> None:
    small = columns > 2
    for curve, colour in zip(panel.curves, _colours(panel.curves), strict=True):
        points = [(place, y) for place, y in enumerate(curve.found.each) if y is not None]
        x = [place for place, _ in points]
        plot.fill_between(x, [y.low for _, y in points], [y.high for _, y in points], color=colour,
                          alpha=0.16, linewidth=0)  # fmt: skip
        plot.plot(x, [y.value for _, y in points], "-o", color=colour, label=curve.name,
                  markersize=2 if small else 3.2, linewidth=1.1 if small else 1.5)  # fmt: skip
    _label(plot, panel.values, small=small)
    values = [y.value for curve in panel.curves for y in curve.found.each if y is not None]
    if values and min(values) > 0 and max(values) > _LOG_RATIO * min(values):
        plot.set_yscale("log")
        plot.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    if panel.limits:
        plot.set_ylim(*panel.limits)
    if panel.title:
        plots.entitle(plot, panel.title)
    if not small:
        plot.set_xlabel(panel.axis)
        plot.set_ylabel(panel.unit)
        plots.legend_under(plot, 110 // columns)
    else:
        plot.title.set_fontsize(8.5)
        plot.tick_params(labelsize=7, pad=2)


def _colours(curves: Sequence[Curve]) -> list[str]:
    if all(curve.colour for curve in curves):
        return [curve.colour for curve in curves]
    named = [plots.PHASE, plots.PLACEBO]
    return named[: len(curves)] if len(curves) <= 2 else plots.ordered_colours(len(curves))


def _label(plot: Any, values: Sequence[float], *, small: bool) -> None:
    """Set values at equal steps, because they run over powers of ten and 0."""
    every = 3 if small and len(values) > 5 else 1
    names = [f"{v:g}" if i % every == 0 else "" for i, v in enumerate(values)]
    crowded = not small and len(values) > 8
    plot.set_xticks(range(len(values)), names)
    plot.tick_params(axis="x", labelsize=7.5 if crowded else 8.5, rotation=45 if crowded else 0)


def _words(panels: Sequence[Panel]) -> str:
    parts = []
    for panel in panels:
        for curve in panel.curves:
            pairs = zip(panel.values, curve.found.each, strict=True)
            ends = [(x, y) for x, y in pairs if y is not None]
            if ends:
                (first, a), (last, b) = ends[0], ends[-1]
                parts.append(
                    f"{panel.title or panel.unit}, {curve.name}: {numbers.decimal(a.value, 2)} at "
                    f"{panel.axis} = {first:g}, {numbers.decimal(b.value, 2)} at {panel.axis} = "
                    f"{last:g}"
                )
    return "; ".join(parts) + "."
