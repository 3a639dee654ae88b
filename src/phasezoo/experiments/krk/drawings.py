"""The report's drawings, each made from results alone and described in words."""

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from phasezoo.experiments.krk import paper
from phasezoo.experiments.krk.config import Variant
from phasezoo.experiments.krk.curves import NAMES
from phasezoo.experiments.krk.results import (
    CellSummary,
    Choice,
    Figure,
    Line,
    Panel,
    ReadingSummary,
)
from phasezoo.experiments.statistics import wilson
from phasezoo.report import numbers, plots

__all__ = ["choice_bars", "curves", "lengths", "reading_changes", "win_rates"]

_COLOURS: dict[Variant, str] = {
    "uct": plots.PHASE,
    "puct": plots.PLACEBO,
    "random": plots.BASELINE,
}

_WIDTH = 7.6
"""Inches of a full-width drawing."""

_LOG_RATIO = 20
"""A panel whose curves differ by more than this factor gets a logarithmic axis."""


def lengths(cells: Sequence[CellSummary]) -> Markup:
    """Draw figure 4.2: a point per cell, the study's range of lengths, and what binds the two."""
    figure, plot = plots.axes(_WIDTH, 3.6)
    plot.axhspan(*paper.LENGTHS, color=plots.PAPER, alpha=0.13, linewidth=0)
    for variant in dict.fromkeys(c.cell.variant for c in cells):
        shown = [c for c in cells if c.cell.variant == variant and c.difference and c.length]
        if not shown:  # no game of it was won
            continue
        x = [c.difference.value for c in shown if c.difference]
        y = [c.length.value for c in shown if c.length]
        ends = [(c.length.low, c.length.high) for c in shown if c.length]
        colour = _COLOURS[variant]
        plot.vlines(x, [e[0] for e in ends], [e[1] for e in ends], color=colour, alpha=0.15)
        plot.plot(x, y, "o", color=colour, markersize=3.5, alpha=0.8, label=NAMES[variant])
    plot.set_xlabel("DTM difference a move (moves)")
    plot.set_ylabel("White’s moves in a won game")
    _legend(plot, 110, [f"{paper.LENGTHS[0]:g} to {paper.LENGTHS[1]:g} moves (the study)"])
    text = "Length of won games against DTM difference, a point per setting of the search."
    return plots.to_svg(figure, "figure-4-2", text)


def win_rates(cells: Sequence[CellSummary]) -> Markup:
    """Draw the share of games won against DTM difference, a point per cell (ours)."""
    figure, plot = plots.axes(_WIDTH, 3.2)
    words = []
    for variant in dict.fromkeys(c.cell.variant for c in cells):
        shown = [(c, c.difference) for c in cells if c.cell.variant == variant and c.difference]
        if not shown:  # no move of it kept a win
            continue
        x = [difference.value for _, difference in shown]
        rates = [wilson(c.won, c.games) for c, _ in shown]
        colour = _COLOURS[variant]
        low, high = [100 * r.low for r in rates], [100 * r.high for r in rates]
        plot.vlines(x, low, high, color=colour, alpha=0.15)
        y = [100 * rate.value for rate in rates]
        plot.plot(x, y, "o", color=colour, markersize=3.5, alpha=0.8, label=NAMES[variant])
        words.append(f"{NAMES[variant]}: {min(y):.1f} to {max(y):.1f} % of a setting's games won")
    plot.set_xlabel("DTM difference a move (moves)")
    plot.set_ylabel("% of games won")
    plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK, loc="lower left")
    return plots.to_svg(figure, "win-rates", "; ".join(words) + ".")


def curves(figure: Figure) -> Markup:
    """Draw the panels of a figure, with 95 % bands."""
    count = len(figure.panels)
    # Many small panels have one legend, so they must show the same lines.
    alike = len({tuple(line.name for line in panel.lines) for panel in figure.panels}) == 1
    columns = 1 if count == 1 else 4 if alike and count > 4 else 2
    rows = math.ceil(count / columns)
    height = 3.4 if count == 1 else (3.5 if columns == 2 else 1.75) * rows
    drawing, made = plots.axes(_WIDTH, height, columns=columns, rows=rows)
    axes = [made] if count == 1 else list(made)
    for plot, panel in zip(axes, figure.panels, strict=False):
        _draw_panel(plot, panel, columns)
    for plot in axes[count:]:
        plot.set_axis_off()
    if columns > 2:
        _legend_apart(drawing, axes[0])
    name = f"figure-{figure.number.replace('.', '-')}"
    return plots.to_svg(drawing, name, f"{figure.title}. {_words(figure.panels)}")


def choice_bars(choices: Sequence[Choice], name: str) -> Markup:
    """Draw distributions of the arg-min side by side; what the study names is marked."""
    figure, made = plots.axes(_WIDTH, 2.3, columns=len(choices), sharey=True)
    axes = [made] if len(choices) == 1 else list(made)
    for plot, choice in zip(axes, choices, strict=True):
        places = range(len(choice.values))
        for place in places:
            if choice.values[place] in choice.claimed:
                plot.axvspan(place - 0.5, place + 0.5, color=plots.PAPER, alpha=0.16, linewidth=0)
        plot.bar(places, [100 * s for s in choice.shares], color=plots.PHASE, width=0.74)
        _label(plot, choice.values, small=False)
        plot.set_xlabel(choice.axis)
        plot.set_ylim(0, 100)
        plots.entitle(plot, choice.name)
    axes[0].set_ylabel("% of resamples")
    words = "; ".join(
        f"{c.name}: "
        + ", ".join(
            f"{c.axis} = {v:g} {numbers.percent(s, 0)}"
            for v, s in zip(c.values, c.shares, strict=True)
            if s
        )
        for c in choices
    )
    return plots.to_svg(figure, name, f"Where the curve is lowest. {words}.")


def reading_changes(readings: Sequence[ReadingSummary]) -> Markup:
    """Draw the lengths of all readings, under the one that each changes; the study's are shaded."""
    shown = [one for one in readings if one.length is not None]
    figure, plot = plots.axes(_WIDTH, 0.23 * len(shown) + 0.9)
    plot.axvspan(*paper.LENGTHS, color=plots.PAPER, alpha=0.13, linewidth=0)
    for place, one in enumerate(shown):
        assert one.length is not None
        colour = plots.PHASE if one.base is None else plots.BASELINE
        if one.change is not None and (one.change.low > 0 or one.change.high < 0):
            colour = plots.PLACEBO
        plot.hlines(place, one.length.low, one.length.high, color=colour, alpha=0.6)
        plot.plot([one.length.value], [place], "o", color=colour, markersize=4)
        if one.base is None:
            plot.axvline(one.length.value, color=colour, linewidth=0.7, linestyle=":")
    plot.set_yticks(range(len(shown)), [one.reading for one in shown])
    plot.set_ylim(len(shown) - 0.4, -0.6)
    plot.set_xlabel("White’s moves in a won game")
    words = "; ".join(f"{one.reading} {numbers.plain_interval(one.length, 1)}" for one in shown)
    return plots.to_svg(figure, "readings", f"Length of won games by reading. {words}.")


def _draw_panel(plot: Any, panel: Panel, columns: int) -> None:
    small = columns > 2
    values = sorted({x for line in panel.lines for x in line.x})
    colours = _colours(panel.lines)
    for line, colour in zip(panel.lines, colours, strict=True):
        pairs = zip(line.x, line.y, strict=True)
        points = [(values.index(x), y) for x, y in pairs if y is not None]
        x = [place for place, _ in points]
        plot.fill_between(x, [y.low for _, y in points], [y.high for _, y in points], color=colour,
                          alpha=0.16, linewidth=0)  # fmt: skip
        plot.plot(x, [y.value for _, y in points], "-o", color=colour, label=line.name,
                  markersize=2 if small else 3.2, linewidth=1.1 if small else 1.5)  # fmt: skip
    _label(plot, values, small=small)
    if _differs(panel.lines):
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


def _colours(lines: Sequence[Line]) -> list[str]:
    if len({line.variant for line in lines}) == len(lines):
        return [_COLOURS[line.variant] for line in lines]
    if len(lines) == 2:
        return [plots.PHASE, plots.PLACEBO]
    return plots.ordered_colours(len(lines))


def _label(plot: Any, values: Sequence[float], *, small: bool) -> None:
    """Values at equal steps, as the study lists them: they run over three powers of ten and 0."""
    places = range(len(values))
    every = 3 if small and len(values) > 5 else 1
    names = [f"{v:g}" if i % every == 0 else "" for i, v in enumerate(values)]
    crowded = not small and len(values) > 8
    plot.set_xticks(list(places), names)
    plot.tick_params(axis="x", labelsize=7.5 if crowded else 8.5, rotation=45 if crowded else 0)


def _legend(plot: Any, room: int, bands: Sequence[str] = ()) -> None:
    """Put the legend below the axes, in as many columns as ``room`` letters allow."""
    from matplotlib.patches import Patch

    handles, _ = plot.get_legend_handles_labels()
    handles += [Patch(facecolor=plots.PAPER, alpha=0.3, label=name) for name in bands]
    if len(handles) > 1:
        plot.legend(
            handles=handles, frameon=False, fontsize=8, labelcolor=plots.INK, loc="upper center",
            bbox_to_anchor=(0.5, -0.2), columnspacing=1.0, handlelength=1.4,
            ncols=_legend_columns([h.get_label() for h in handles], room),
        )  # fmt: skip


def _legend_columns(names: Sequence[str], room: int) -> int:
    """Columns of a legend, each as wide as the longest name and its sample."""
    return max(1, min(len(names), room // (max(map(len, names)) + 6)))


def _legend_apart(figure: Any, plot: Any) -> None:
    """One legend for many small panels that share their lines."""
    handles, names = plot.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False,
                  fontsize=8.5, labelcolor=plots.INK)  # fmt: skip


def _differs(lines: Sequence[Line]) -> bool:
    values = [y.value for line in lines for y in line.y if y is not None]
    return bool(values) and min(values) > 0 and max(values) > _LOG_RATIO * min(values)


def _words(panels: Sequence[Panel]) -> str:
    parts = []
    for panel in panels:
        for line in panel.lines:
            ends = [(x, y) for x, y in zip(line.x, line.y, strict=True) if y is not None]
            if ends:
                (first, a), (last, b) = ends[0], ends[-1]
                parts.append(
                    f"{panel.title or panel.unit}, {line.name}: {numbers.decimal(a.value, 2)} at "
                    f"{panel.axis} = {first:g}, {numbers.decimal(b.value, 2)} at {panel.axis} = "
                    f"{last:g}"
                )
    return "; ".join(parts) + "."
