"""Figures of the report, each made from results alone and described in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from phasezoo.experiments.representation import published
from phasezoo.experiments.representation.config import CORNERS
from phasezoo.experiments.representation.measurements import Games, Latency, Losses
from phasezoo.experiments.representation.positions import Attribution, BoardShown
from phasezoo.report import numbers, plots
from phasezoo.report.document import Figure
from phasezoo.report.plots import Estimate

TABLES = {
    "corners": "Planes and heads (Tables 4 and 5)",
    "architectures": "Architectures (Table 7)",
    "blocks": "Kinds of blocks",
    "transformers": "Transformer blocks",
    "kernels": "5x5 kernels",
    "depths": "Depth against width",
}
"""Headings of tables of losses."""

COMMON = "policy=pointwise"
"""Option that most networks have, which is left out."""

_EFFECTS = {"inputs": "planes v2 − v1", "heads": "head wdlp − mse", "both": "both − neither"}

_METRICS = {"total": "total loss", "value": "value loss"}


def short(label: str) -> str:
    """Return a network's text without :data:`COMMON`."""
    name, _, options = label.partition(":")
    kept = [option for option in options.split(",") if option and option != COMMON]
    return f"{name}:{','.join(kept)}" if kept else name


def effects(losses: Losses) -> Figure:
    """Show the changes by planes and heads, with intervals."""
    groups = [
        (
            title,
            [
                Estimate(_EFFECTS[one.name], one.metrics[metric], plots.PHASE, strong=True)
                for one in losses.contrasts
            ],
        )
        for metric, title in _METRICS.items()
    ]
    caption = (
        "What planes and head change on test positions: each averaged over the other choice, and "
        "both together; 95 % intervals over trainings first, games second."
    )
    label, hints = "difference on test positions", ("← better", "worse →")
    return plots.comparison("effects", groups, label, 3, caption, hints=hints)


def grids(losses: Losses) -> Figure | None:
    """Show networks beside the first of their table; None if no table has two."""
    groups = []
    for name, (first, *others) in losses.tables.items():
        if name != "corners" and others:
            rows = [Estimate(short(o.label), o.to_first["total"], plots.PHASE) for o in others]
            groups.append((f"{TABLES[name]}, beside {short(first.label)}", rows))
    if not groups:
        return None
    caption = (
        "Total loss of each network less that of the first of its table. With one training each an "
        "interval counts games alone. An arrow at the edge: far outside the picture."
    )
    label, hints = "difference of total loss on test positions", ("← better", "worse →")
    return plots.comparison("grids", groups, label, 3, caption, hints=hints, near=True)


def latency(losses: Losses, found: Sequence[Latency], *, on_cpu: bool) -> Figure:
    """Show total loss over the time of a position, by backend and batch (Fig. 3)."""
    labels = {row.name: row.label for rows in losses.tables.values() for row in rows}
    clock = " as CPU time of one thread" if on_cpu else ""
    caption = (
        f"Total loss over the time of a position, measured here{clock}. Left and low is better. A "
        "triangle at the edge: far above the others, with its loss."
    )
    words = "; ".join(
        f"{labels[one.arm]} {one.backend} {one.batch} a call "
        f"{numbers.decimal(one.microseconds.value, 1)} µs"
        for one in found
        if one.arm in CORNERS
    )
    return Figure(
        "latency",
        lambda: _latency(losses, found),
        caption,
        f"Total loss by time of a position. {words}.",
    )


def _latency(losses: Losses, found: Sequence[Latency]) -> Any:
    backends = list(dict.fromkeys(one.backend for one in found))
    batches = list(dict.fromkeys(one.batch for one in found))
    named = [plots.PHASE, plots.PLACEBO, plots.BASELINE, plots.PAPER, "#3da092", "#b0477a"]
    colours = dict(zip(losses.tables, named, strict=False))
    # A network has the colour of the first table that it stands in.
    own: dict[str, str] = {}
    for name, rows in losses.tables.items():
        own = {row.name: colours[name] for row in rows} | own
    figure, every = plots.axes(plots.WIDTH, 2.5 * len(backends) + 0.6, columns=len(batches),
                               rows=len(backends), sharey=True)  # fmt: skip
    panels = np.atleast_1d(every).reshape(len(backends), len(batches))
    totals = {
        row.name: total.value
        for rows in losses.tables.values()
        for row in rows
        if (total := row.metrics["total"]) is not None
    }
    far = _far_above(totals)
    highest = max((total for name, total in totals.items() if name not in far), default=0.0)
    for one in (one for one in found if one.arm in totals):
        plot = panels[backends.index(one.backend), batches.index(one.batch)]
        colour, x, y = own[one.arm], one.microseconds.value, totals[one.arm]
        if one.arm not in far:
            plot.plot(x, y, "o", markersize=4.5, alpha=0.85, color=colour)
            continue
        plot.plot(x, highest, "^", markersize=4.5, alpha=0.85, color=colour)
        below = -10 - 9 * (far.index(one.arm) % 2)  # two beside each other stay legible
        plot.annotate(numbers.decimal(y, 2), (x, highest), xytext=(0, below), ha="center",
                      textcoords="offset points", fontsize=7, color=colour)  # fmt: skip
    for row, backend in enumerate(backends):
        for column, batch in enumerate(batches):
            plot = panels[row, column]
            plots.entitle(plot, f"{backend}, {batch} a call")
            plot.set_xscale("log")
            _plain_ticks(plot)
            if row == len(backends) - 1:
                plot.set_xlabel("µs a position")
        panels[row, 0].set_ylabel("total loss")
    handles = [
        figure.axes[0].plot([], [], "o", color=colour, label=TABLES[name])[0]
        for name, colour in colours.items()
    ]
    plots.legend_below(figure, handles, 3)
    return figure


def _far_above(totals: Mapping[str, float]) -> list[str]:
    """Return the networks so far above the others that these would look equal beside them."""
    if not totals:
        return []
    _, fence = plots.outer_fences(list(totals.values()))
    return [name for name, total in totals.items() if total > fence]


def attributions(average: Sequence[Attribution], positions: int) -> Figure:
    """Show the shares of groups of planes in the value, v1 beside v2 (Fig. 5)."""
    shown = [one for one in average if one.answer == "value" and one.arm.endswith("wdlp")]
    names = list(dict.fromkeys(name for one in reversed(shown) for name in one.shares))

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 0.34 * len(names) + 0.9)
        height = 0.8 / len(shown)
        colours = (plots.BASELINE, plots.PHASE)
        for place, (one, colour) in enumerate(zip(shown, colours, strict=False)):
            for row, name in enumerate(names):
                share = one.shares.get(name)
                if share is None:
                    continue
                y = row + (place - (len(shown) - 1) / 2) * height
                plot.barh(y, 100 * share.value, height=height, color=colour,
                          label=one.arm if name == next(iter(one.shares)) else None)  # fmt: skip
                plot.plot([100 * max(share.low, 0), 100 * share.high], [y, y], color=plots.INK,
                          linewidth=0.9)  # fmt: skip
        plot.set_yticks(range(len(names)), names)
        plot.invert_yaxis()
        plot.set_xlabel("% of all absolute attributions of the value")
        plot.grid(axis="y", visible=False)
        plot.grid(axis="x", color=plots.GRID, linewidth=0.6)
        plots.legend(plot, loc="lower right")
        return figure

    caption = (
        "Integrated gradients of the value with the mean of the validation inputs as baseline: "
        f"share of each group of planes, over trainings and {positions} positions."
    )
    words = "; ".join(
        f"{one.arm}, {name}: {numbers.percent(one.shares[name].value)}"
        for one in shown
        for name in names
        if name in one.shares
    )
    return Figure("attributions", draw, caption, f"{words}.")


def board(shown: BoardShown, name: str) -> Figure:
    """Show one position's attributions by square and by group of planes."""
    seen = [(label, value) for label, value in shown.planes.items() if value]
    rows = sorted(seen, key=lambda item: -abs(item[1]))[:10]

    def draw() -> Any:
        figure, (squares, planes) = plots.axes(
            plots.WIDTH, 3.4, columns=2, gridspec_kw={"width_ratios": (1, 1.1)}
        )
        _squares(squares, shown)
        values = [value for _, value in rows]
        colours = [plots.PHASE if value > 0 else plots.PLACEBO for value in values]
        planes.barh([label for label, _ in rows], values, color=colours, height=0.65)
        planes.invert_yaxis()
        planes.locator_params(axis="x", nbins=5)
        planes.axvline(0, color=plots.MUTED, linewidth=1)
        planes.grid(axis="y", visible=False)
        plots.entitle(planes, "Sum by group of planes")
        return figure

    caption = (
        "Attributions of the value with planes of zeros as baseline (value "
        f"{numbers.signed(shown.baseline, 2)}), for the player to move: {shown.fen}"
    )
    words = ", ".join(f"{label} {numbers.signed(value, 2)}" for label, value in rows)
    return Figure(name, draw, caption, f"{shown.fen}. {words}.")


def elo(games: Sequence[Games], labels: Mapping[str, str]) -> Figure:
    """Show every contender's Elo beside v1 with mse, by limit (Fig. 4)."""
    groups = []
    for one in games:
        rows = [
            Estimate(labels.get(pairing.second, pairing.second), -pairing.elo.elo, plots.PHASE)
            for pairing in one.pairings
            if pairing.first == CORNERS[0]
        ]
        groups.append((f"{one.limit} a move", rows))
    caption = (
        "Elo of each contender above v1 with mse, by limit. Intervals count trainings first where "
        f"several played, games alone otherwise. The paper: planes {published.ELO_INPUTS}, head "
        f"{published.ELO_HEAD}, both {published.ELO_BOTH}."
    )
    hints = ("← weaker", "stronger →")
    return plots.comparison("elo", groups, "Elo above v1 with mse", 0, caption, hints=hints)


def _plain_ticks(plot: Any) -> None:
    """Numbers in place of powers of ten, few enough to be read."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    plot.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5), numticks=6))
    plot.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    plot.xaxis.set_minor_formatter(NullFormatter())


def _squares(plot: Any, shown: BoardShown) -> None:
    """Squares shaded by their attributions, with the pieces on them."""
    from matplotlib.patches import Rectangle

    table = np.array(shown.squares).reshape(8, 8)
    most = float(np.abs(table).max()) or 1.0
    for (rank, file), attribution in np.ndenumerate(table):
        corner, strength = (file - 0.5, rank - 0.5), attribution / most
        ground = plots.GRID if (file + rank) % 2 == 0 else plots.SURFACE
        colour = plots.PHASE if strength > 0 else plots.PLACEBO
        for shade, alpha in ((ground, 1), (colour, 0.85 * abs(strength))):
            plot.add_patch(Rectangle(corner, 1, 1, facecolor=shade, alpha=alpha, linewidth=0))
    for (file, rank), piece in _pieces(shown.fen).items():
        plot.text(file, rank, piece, ha="center", va="center", fontsize=9, color=plots.INK,
                  fontweight="bold")  # fmt: skip
    plot.set_xlim(-0.5, 7.5)
    plot.set_ylim(-0.5, 7.5)
    plot.set_aspect("equal")
    plot.set_xticks(range(8), list("abcdefgh"))
    plot.set_yticks(range(8), [str(n) for n in range(1, 9)])
    plot.grid(visible=False)
    plots.entitle(plot, f"{shown.arm}: value {numbers.signed(shown.value, 2)}")


def _pieces(fen: str) -> dict[tuple[int, int], str]:
    """Letters by file and rank from 0, capitals White's."""
    found = {}
    for row, text in enumerate(fen.split(maxsplit=1)[0].partition("[")[0].split("/")[:8]):
        file = 0
        for sign in text.replace("~", ""):
            if sign.isdigit():
                file += int(sign)
            else:
                found[file, 7 - row] = sign
                file += 1
    return found
