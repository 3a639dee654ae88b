"""Plots as inline SVG that follows the page's light or dark theme.

Matplotlib draws with fixed stand-in colours; in the finished SVG these become the style sheet's
variables, so one drawing serves both themes. Text stays text: it can be read aloud and searched.
"""

import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import needs
from phasezoo.report import numbers
from phasezoo.report.document import Figure

# Stand-ins: what is drawn with one of these takes the variable of that name in style.css.
INK = "#1c2231"
MUTED = "#5a6273"
GRID = "#dcdad4"
SURFACE = "#fefefd"
PHASE = "#1f66b1"
PLACEBO = "#b85c01"
BASELINE = "#68707f"
PAPER = "#7b5ea8"

WIDTH = 7.6
"""Inches of a full-width drawing."""

_VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    SURFACE: "--card",
    PHASE: "--phase",
    PLACEBO: "--placebo",
    BASELINE: "--baseline",
    PAPER: "--paper",
}

# Ends of phases in order of play, light to dark; the steps differ in lightness for every reader.
_ORDERED = ((0xF2, 0xB8, 0x4B), (0x3D, 0xA0, 0x92), (0x3A, 0x5F, 0xA8))

LONGEST = 600.0
"""Length (of Elo, say) at which a side of an interval is cut, so that the others can be read."""


@dataclass(frozen=True)
class Estimate:
    """A row of :func:`comparison`: a label, an interval and its colour.

    ``text`` stands at the right in place of the interval, for figures quoted as printed elsewhere.
    """

    label: str
    interval: Interval | None
    colour: str = INK
    text: str = ""
    strong: bool = False


def axes(
    width: float, height: float, columns: int = 1, rows: int = 1, **options: Any
) -> tuple[Any, Any]:
    """Return a Matplotlib figure of ``width`` x ``height`` inches and its axes in house style.

    Several axes come as a flat array, row by row.
    """
    with needs("plots need matplotlib, which is not installed", "plot"):
        from matplotlib.figure import Figure
    figure = Figure(figsize=(width, height), layout="constrained")
    made = figure.subplots(rows, columns, squeeze=False, **options).ravel()
    for one in made:
        _dress(one)
    return figure, (made[0] if len(made) == 1 else made)


def with_intervals(
    plot: Any, x: Sequence[float], found: Sequence[Interval], label: str, colour: str
) -> None:
    """Draw estimates as a line with their intervals.

    A side that is infinite is drawn as long as all that is finite spans, and none is longer than
    :data:`LONGEST`. An infinite value, such as the Elo of a player who won all games, is drawn at
    its interval's finite end, or at 0.
    """
    values = [
        next((end for end in (one.value, one.low, one.high) if not math.isinf(end)), 0.0)
        for one in found
    ]
    ends = [end for one in found for end in (one.low, one.high)]
    finite = [end for end in (*values, *ends) if math.isfinite(end)]
    if not finite:
        return
    far = max(finite) - min(finite) or max(map(abs, finite)) or 1.0
    below = [_cut(value - one.low, far) for value, one in zip(values, found, strict=True)]
    above = [_cut(one.high - value, far) for value, one in zip(values, found, strict=True)]
    plot.errorbar(x, values, yerr=[below, above], fmt="-o", color=colour, markersize=4, capsize=3,
                  label=label)  # fmt: skip


def _cut(length: float, far: float) -> float:
    return min(max(length, 0.0) if math.isfinite(length) else far, LONGEST)


def entitle(plot: Any, text: str) -> None:
    """Head one of several axes."""
    plot.set_title(text, loc="left", color=INK, fontsize=10, fontweight="bold")


def legend(plot: Any, **options: Any) -> None:
    """Add the legend of a plot, or of a figure; ``options`` are Matplotlib's."""
    plot.legend(**{"frameon": False, "fontsize": 8.5, "labelcolor": INK, **options})


def legend_below(figure: Any, handles: Sequence[Any], columns: int) -> None:
    """Add one legend below all axes of a figure, in the given number of columns."""
    legend(figure, handles=handles, loc="outside lower center", ncols=columns)


def legend_under(plot: Any, room: int, bands: Sequence[str] = ()) -> None:
    """Add the legend of several lines under a plot."""
    from matplotlib.patches import Patch

    handles, _ = plot.get_legend_handles_labels()
    handles += [Patch(facecolor=PAPER, alpha=0.3, label=name) for name in bands]
    if len(handles) > 1:
        # Each column is as wide as the longest name and its sample.
        columns = room // (max(len(handle.get_label()) for handle in handles) + 6)
        legend(plot, handles=handles, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.2),
               columnspacing=1.0, handlelength=1.4,
               ncols=max(1, min(len(handles), columns)))  # fmt: skip


def to_png(figure: Any, dpi: int, **options: Any) -> bytes:
    """Return a figure as a PNG with ``dpi`` dots an inch; ``options`` are Matplotlib's."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=dpi, **options)
    return content.getvalue()


def to_svg(figure: Any, name: str, description: str) -> Markup:
    """Return a figure as an ``<svg>`` element to put into a page.

    Args:
        figure: A figure made by :func:`axes`.
        name: Unique on the page; prefix of its identifiers, which must differ between figures.
        description: What the drawing shows, in words, for readers who cannot see it.
    """
    import matplotlib as mpl

    buffer = io.StringIO()
    settings = {"svg.fonttype": "none", "svg.hashsalt": name, "font.family": "DejaVu Sans"}
    with mpl.rc_context(settings):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"\s(xmlns(:\w+)?|version|width|height)=\"[^\"]*\"", "", text[:400]) + text[400:]
    text = text.replace("xlink:href", "href").replace("'DejaVu Sans'", "var(--font)")
    text = _own_identifiers(text, name)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, f"var({variable})")
    opening, rest = text.split(">", 1)
    title = Markup('<title id="{}-title">{}</title>').format(name, description)
    return Markup(f'{opening} role="img" aria-labelledby="{name}-title">{title}{rest}')


def comparison(
    name: str,
    groups: Sequence[tuple[str, Sequence[Estimate]]],
    label: str,
    digits: int,
    caption: str,
    *,
    hints: tuple[str, str] = ("", ""),
    near: bool = False,
) -> Figure:
    """Return estimates with their intervals, one a row, under group headings, around zero.

    Args:
        name: Unique on the page.
        groups: Heading and rows; an estimate of None is named as not measured.
        label: What the horizontal axis shows.
        digits: Digits of the numbers printed at the right.
        caption: Text below it.
        hints: What left and right of zero mean.
        near: Whether estimates that lie far outside leave the picture with an arrow, so that the
            others stay distinct (:func:`outer_fences`).
    """

    def draw() -> Any:
        places = sum(len(estimates) + 1 for _, estimates in groups)
        figure, plot = axes(WIDTH, 0.27 * places + 0.85)
        low, high = _extent([e.interval for _, estimates in groups for e in estimates], near=near)
        plot.axvline(0, color=MUTED, linewidth=1)
        place, ticks = 0.0, []
        for heading, estimates in groups:
            plot.text(
                -0.02, place, heading, transform=plot.get_yaxis_transform(), ha="right",
                va="center", fontsize=9, color=INK, fontweight="bold",
            )  # fmt: skip
            place += 1
            for estimate in estimates:
                _draw_estimate(plot, place, estimate, (low, high), digits)
                ticks.append((place, estimate.label))
                place += 1
        plot.set_yticks([t for t, _ in ticks], [name for _, name in ticks])
        plot.set_ylim(place - 0.4, -0.7)
        plot.set_xlim(low, high)
        plot.set_xlabel(label)
        plot.spines["left"].set_visible(False)
        plot.grid(axis="x", color=GRID, linewidth=0.6)
        for text, x, side in ((hints[0], 0.0, "left"), (hints[1], 1.0, "right")):
            plot.text(x, 1.0, text, transform=plot.transAxes, ha=side, va="bottom", fontsize=8,
                      color=MUTED, style="italic")  # fmt: skip
        return figure

    words = "; ".join(
        f"{heading}, {row.label}: {row.text or numbers.signed_interval(row.interval, digits)}"
        for heading, rows in groups
        for row in rows
    )
    return Figure(name, draw, caption, f"{words}.")


def ordered_colours(number: int) -> list[str]:
    """Return colours for phases in order of play, from light to dark."""
    if number == 1:
        return ["#3da092"]
    stops = np.array(_ORDERED, dtype=float)
    places = np.linspace(0, len(stops) - 1, number)
    channels = [np.interp(places, range(len(stops)), stops[:, c]) for c in range(3)]
    return [
        f"#{round(r):02x}{round(g):02x}{round(b):02x}" for r, g, b in zip(*channels, strict=True)
    ]


def _own_identifiers(svg: str, name: str) -> str:
    """Prefix identifiers that the drawing refers to, and drop the others (``figure_1``, …)."""
    used = set(re.findall(r'(?:href="#|url\(#)([\w.-]+)', svg))

    def renamed(match: re.Match[str]) -> str:
        return f' id="{name}-{match[1]}"' if match[1] in used else ""

    svg = re.sub(r'\sid="([\w.-]+)"', renamed, svg)
    return re.sub(r'(href="#|url\(#)(?=[\w.-])', rf"\1{name}-", svg)


def _dress(plot: Any) -> None:
    for side in ("top", "right"):
        plot.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        plot.spines[side].set_color(GRID)
    plot.tick_params(colors=MUTED, labelcolor=INK, labelsize=9, length=0, pad=5)
    plot.xaxis.label.set(color=MUTED, fontsize=9)
    plot.yaxis.label.set(color=MUTED, fontsize=9)
    plot.set_axisbelow(True)
    plot.grid(axis="y", color=GRID, linewidth=0.6)


def outer_fences(values: Sequence[float]) -> tuple[float, float]:
    """Between which values do not lie far outside: three ranges of the middle half beyond it.

    Tukey, "Exploratory Data Analysis", 1977, section 2D.
    """
    lower, upper = np.quantile(values, (0.25, 0.75))
    return float(lower - 3 * (upper - lower)), float(upper + 3 * (upper - lower))


def _extent(intervals: Sequence[Interval | None], *, near: bool) -> tuple[float, float]:
    ends = [x for i in intervals if i for x in (i.low, i.value, i.high) if math.isfinite(x)]
    if near and ends:
        lower, upper = outer_fences(ends)
        ends = [x for x in ends if lower <= x <= upper]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    margin = 0.06 * (high - low) or 1.0
    return low - margin, high + margin


def _draw_estimate(
    plot: Any, place: float, estimate: Estimate, extent: tuple[float, float], digits: int
) -> None:
    interval = estimate.interval
    if interval is None:
        text = "not measured"
    else:
        low, high = (min(max(end, extent[0]), extent[1]) for end in (interval.low, interval.high))
        width = 2.6 if estimate.strong else 1.8
        plot.plot([low, high], [place, place], color=estimate.colour, linewidth=width)
        # An end that is infinite, or far outside, leaves the picture with an arrow.
        for leaves, edge, marker in (
            (interval.low < extent[0], extent[0], "<"),
            (interval.high > extent[1], extent[1], ">"),
        ):
            if leaves:
                plot.plot([edge], [place], marker, color=estimate.colour, markersize=6)
        if extent[0] <= interval.value <= extent[1]:
            size = 8 if estimate.strong else 6
            plot.plot([interval.value], [place], "o", color=estimate.colour, markersize=size,
                      markeredgecolor=SURFACE, markeredgewidth=1)  # fmt: skip
        text = f"{numbers.signed(interval.value, digits)}  [{numbers.span(interval, digits)}]"
        text = estimate.text or text
    weight = "bold" if estimate.strong else "normal"
    plot.text(1.015, place, text, transform=plot.get_yaxis_transform(), ha="left", va="center",
              fontsize=8.5, color=INK, fontweight=weight)  # fmt: skip
