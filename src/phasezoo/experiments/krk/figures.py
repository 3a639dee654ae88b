"""Figures of the report, each made from results alone and described in words."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from phasezoo.experiments.krk import published
from phasezoo.experiments.krk.config import VARIANTS, Variant
from phasezoo.experiments.krk.measurements import CellSummary, GroupSummary
from phasezoo.experiments.statistics import Estimates, wilson
from phasezoo.report import numbers, plots
from phasezoo.report.document import Figure

_COLOURS = {
    VARIANTS["uct"]: plots.PHASE,
    VARIANTS["puct"]: plots.PLACEBO,
    VARIANTS["random"]: plots.BASELINE,
}

_LOG_RATIO = 20
"""A panel whose curves differ by more than this factor gets a logarithmic axis."""


@dataclass(frozen=True)
class Curve:
    """A quantity over C or T."""

    name: str
    """Which curve."""
    axis: Literal["C", "T"]
    """Variable that it is over."""
    values: Sequence[float]
    """Values of that."""
    found: Estimates
    """The quantity at each."""
    claimed: Sequence[float] = ()
    """Values of which the study says that one is best."""

    @property
    def contenders(self) -> list[float]:
        """The values that may be best, with 95 %."""
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


def lengths(cells: Sequence[CellSummary], caption: str) -> Figure:
    """Show figure 4.2: a point per cell, and the study's range of lengths."""

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 3.6)
        plot.axhspan(*published.LENGTHS, color=plots.PAPER, alpha=0.13, linewidth=0)
        _scatter(plot, cells, lambda cell: cell.length)
        plot.set_ylabel("White’s moves in a won game")
        low, high = published.LENGTHS
        _legend(plot, 110, [f"{low:g} to {high:g} moves (the study)"])
        return figure

    words = "Length of won games against DTM difference, a point per setting of the search."
    return Figure("figure-4-2", draw, caption, words)


def win_rates(cells: Sequence[CellSummary], caption: str) -> Figure:
    """Show the share of games won against the DTM difference, a point per cell (ours)."""

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 3.2)
        _scatter(plot, cells, lambda cell: wilson(cell.tally.won, cell.tally.games), scale=100)
        plot.set_ylabel("% of games won")
        plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK, loc="lower left")
        return figure

    words = []
    for variant, shown in _by_variant(cells):
        shares = [100 * cell.tally.won / cell.tally.games for cell in shown]
        low, high = min(shares), max(shares)
        words.append(f"{VARIANTS[variant]}: {low:.1f} to {high:.1f} % of a setting's games won")
    return Figure("win-rates", draw, caption, "; ".join(words) + ".")


def curves(name: str, title: str, panels: Sequence[Panel], caption: str) -> Figure:
    """Show the panels of one of the study's figures, with 95 % bands."""
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
            handles, names = axes[0].get_legend_handles_labels()
            figure.legend(handles, names, loc="outside lower center", ncols=len(names),
                          frameon=False, fontsize=8.5, labelcolor=plots.INK)  # fmt: skip
        return figure

    return Figure(name, draw, caption, f"{title}. {_words(panels)}")


def choice_bars(name: str, choices: Sequence[Curve], caption: str) -> Figure:
    """Show distributions of the arg-min side by side; what the study names is marked."""

    def draw() -> Any:
        figure, made = plots.axes(plots.WIDTH, 2.3, columns=len(choices), sharey=True)
        axes = [made] if len(choices) == 1 else list(made)
        for plot, choice in zip(axes, choices, strict=True):
            for place, value in enumerate(choice.values):
                if value in choice.claimed:
                    plot.axvspan(place - 0.5, place + 0.5, color=plots.PAPER, alpha=0.16,
                                 linewidth=0)  # fmt: skip
            heights = [100 * share for share in choice.found.shares]
            plot.bar(range(len(heights)), heights, color=plots.PHASE, width=0.74)
            _label(plot, choice.values, small=False)
            plot.set_xlabel(choice.axis)
            plot.set_ylim(0, 100)
            plots.entitle(plot, choice.name)
        axes[0].set_ylabel("% of resamples")
        return figure

    words = "; ".join(
        f"{one.name}: "
        + ", ".join(
            f"{one.axis} = {value:g} {numbers.percent(share, 0)}"
            for value, share in zip(one.values, one.found.shares, strict=True)
            if share
        )
        for one in choices
    )
    return Figure(name, draw, caption, f"Where the curve is lowest. {words}.")


def reading_changes(readings: Sequence[GroupSummary], caption: str) -> Figure:
    """Show the lengths of all readings, under the one that each changes."""
    shown = [(one, one.length) for one in readings if one.length is not None]

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 0.23 * len(shown) + 0.9)
        plot.axvspan(*published.LENGTHS, color=plots.PAPER, alpha=0.13, linewidth=0)
        for place, (one, length) in enumerate(shown):
            colour = plots.PHASE if one.base is None else plots.BASELINE
            if one.change is not None and (one.change.low > 0 or one.change.high < 0):
                colour = plots.PLACEBO
            plot.hlines(place, length.low, length.high, color=colour, alpha=0.6)
            plot.plot([length.value], [place], "o", color=colour, markersize=4)
            if one.base is None:
                plot.axvline(length.value, color=colour, linewidth=0.7, linestyle=":")
        plot.set_yticks(range(len(shown)), [one.name for one, _ in shown])
        plot.set_ylim(len(shown) - 0.4, -0.6)
        plot.set_xlabel("White’s moves in a won game")
        return figure

    words = "; ".join(f"{one.name} {numbers.plain_interval(length, 1)}" for one, length in shown)
    return Figure("readings", draw, caption, f"Length of won games by reading. {words}.")


def _by_variant(cells: Sequence[CellSummary]) -> Iterator[tuple[Variant, list[CellSummary]]]:
    """Cells by search, of those that have a DTM difference: some move of theirs kept a win."""
    for variant in dict.fromkeys(cell.cell.variant for cell in cells):
        shown = [c for c in cells if c.cell.variant == variant and c.difference is not None]
        if shown:
            yield variant, shown


def _scatter(
    plot: Any,
    cells: Sequence[CellSummary],
    height: Callable[[CellSummary], Any],
    scale: float = 1,
) -> None:
    """Draw a number of every cell over its DTM difference; one without either is left out."""
    for variant, found in _by_variant(cells):
        shown = [(c.difference, y) for c in found if c.difference and (y := height(c))]
        if not shown:  # no game of it was won
            continue
        x = [difference.value for difference, _ in shown]
        colour = _COLOURS[VARIANTS[variant]]
        low, high = [scale * y.low for _, y in shown], [scale * y.high for _, y in shown]
        plot.vlines(x, low, high, color=colour, alpha=0.15)
        plot.plot(x, [scale * y.value for _, y in shown], "o", color=colour, markersize=3.5,
                  alpha=0.8, label=VARIANTS[variant])  # fmt: skip
    plot.set_xlabel("DTM difference a move (moves)")


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
    if _differs(panel.curves):
        plot.set_yscale("log")
        plot.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    if panel.limits:
        plot.set_ylim(*panel.limits)
    if panel.title:
        plots.entitle(plot, panel.title)
    if not small:
        plot.set_xlabel(panel.axis)
        plot.set_ylabel(panel.unit)
        _legend(plot, 110 // columns)
    else:
        plot.title.set_fontsize(8.5)
        plot.tick_params(labelsize=7, pad=2)


def _colours(curves: Sequence[Curve]) -> list[str]:
    if all(curve.name in _COLOURS for curve in curves):
        return [_COLOURS[curve.name] for curve in curves]
    named = [plots.PHASE, plots.PLACEBO]
    return named[: len(curves)] if len(curves) <= 2 else plots.ordered_colours(len(curves))


def _label(plot: Any, values: Sequence[float], *, small: bool) -> None:
    """Values at equal steps, as the study lists them: they run over three powers of ten and 0."""
    every = 3 if small and len(values) > 5 else 1
    names = [f"{v:g}" if i % every == 0 else "" for i, v in enumerate(values)]
    crowded = not small and len(values) > 8
    plot.set_xticks(range(len(values)), names)
    plot.tick_params(axis="x", labelsize=7.5 if crowded else 8.5, rotation=45 if crowded else 0)


def _legend(plot: Any, room: int, bands: Sequence[str] = ()) -> None:
    """Put the legend below the axes, in the number of columns that ``room`` letters allow."""
    from matplotlib.patches import Patch

    handles, _ = plot.get_legend_handles_labels()
    handles += [Patch(facecolor=plots.PAPER, alpha=0.3, label=name) for name in bands]
    if len(handles) > 1:
        names = [handle.get_label() for handle in handles]
        plot.legend(
            handles=handles, frameon=False, fontsize=8, labelcolor=plots.INK, loc="upper center",
            bbox_to_anchor=(0.5, -0.2), columnspacing=1.0, handlelength=1.4,
            # Each column is as wide as the longest name and its sample.
            ncols=max(1, min(len(names), room // (max(map(len, names)) + 6))),
        )  # fmt: skip


def _differs(curves: Sequence[Curve]) -> bool:
    values = [y.value for curve in curves for y in curve.found.each if y is not None]
    return bool(values) and min(values) > 0 and max(values) > _LOG_RATIO * min(values)


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
