"""The report's drawings, each made from results alone and described in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from phasezoo.arena.elo import Interval
from phasezoo.experiments.representation.arms import CORNERS
from phasezoo.experiments.representation.results import (
    Attribution,
    BoardShown,
    Games,
    Latency,
    Losses,
    Table,
)
from phasezoo.experiments.representation.story import TABLES, short
from phasezoo.report import numbers, plots
from phasezoo.report.plots import Estimate

__all__ = ["attributions", "board", "effects", "elo", "grids", "latency"]

_WIDTH = 7.6
"""Inches of a full-width drawing."""

_EFFECTS = {"inputs": "planes v2 − v1", "heads": "head wdlp − mse", "both": "both − neither"}

_METRICS = {"total": "total loss", "value": "value loss"}


def effects(losses: Losses) -> Markup:
    """Draw what planes and heads change, with intervals."""
    groups, words = [], []
    for metric, title in _METRICS.items():
        rows = []
        for one in losses.contrasts:
            interval = one.metrics[metric]
            rows.append(Estimate(_EFFECTS[one.name], interval, plots.PHASE, strong=True))
            words.append(f"{title}, {_EFFECTS[one.name]}: {numbers.signed_interval(interval)}")
        groups.append((title, rows))
    figure = plots.forest(groups, "difference on test positions", 3, hints=("← better", "worse →"))
    return plots.to_svg(figure, "effects", "; ".join(words) + ".")


def grids(losses: Losses) -> Markup | None:
    """Draw the tables of networks as differences to the first of each; None if there are none."""
    groups, words = [], []
    for table in (table for table in losses.tables[1:] if table.differences):
        rows = []
        for row in table.rows[1:]:
            interval = table.differences[row.name]["total"]
            rows.append(Estimate(short(row.label), interval, plots.PHASE))
            words.append(f"{row.label}: {numbers.signed_interval(interval)}")
        groups.append((f"{TABLES[table.name]}, beside {short(table.rows[0].label)}", rows))
    if not groups:
        return None
    figure = _wide_forest(groups, near=True)
    return plots.to_svg(figure, "grids", "Differences of total loss. " + "; ".join(words) + ".")


def latency(losses: Losses, found: Sequence[Latency]) -> Markup:
    """Draw total loss over the time of a position, by backend and batch (Fig. 3)."""
    rows = {row.name: row for table in losses.tables for row in table.rows}
    tables = {row.name: table for table in reversed(losses.tables) for row in table.rows}
    backends = list(dict.fromkeys(one.backend for one in found))
    batches = list(dict.fromkeys(one.batch for one in found))
    colours = _colours(losses.tables)
    figure, every = plots.axes(_WIDTH, 2.5 * len(backends) + 0.6, columns=len(batches),
                               rows=len(backends), sharey=True)  # fmt: skip
    panels = np.atleast_1d(every).reshape(len(backends), len(batches))
    totals = {
        name: total.value
        for name, row in rows.items()
        if (total := row.metrics["total"]) is not None
    }
    far = _far_above(totals)
    highest = max((total for name, total in totals.items() if name not in far), default=0.0)
    for one in (one for one in found if one.arm in totals):
        plot = panels[backends.index(one.backend), batches.index(one.batch)]
        colour, x, y = colours[tables[one.arm].name], one.microseconds.value, totals[one.arm]
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
        figure.axes[0].plot([], [], "o", color=colours[table.name], label=TABLES[table.name])[0]
        for table in losses.tables
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8.5,
                  labelcolor=plots.INK)  # fmt: skip
    words = "; ".join(
        f"{rows[one.arm].label} {one.backend} {one.batch} a call "
        f"{numbers.decimal(one.microseconds.value, 1)} µs"
        for one in found
        if one.arm in CORNERS
    )
    return plots.to_svg(figure, "latency", f"Total loss by time of a position. {words}.")


def _far_above(totals: Mapping[str, float]) -> list[str]:
    """Networks that lie so far above the others that these could not be told apart beside them."""
    if not totals:
        return []
    _, fence = plots.outer_fences(list(totals.values()))
    return [name for name, total in totals.items() if total > fence]


def attributions(average: Sequence[Attribution]) -> Markup:
    """Draw the shares of groups of planes in the value, v1 beside v2 (Fig. 5)."""
    shown = [one for one in average if one.answer == "value" and one.arm.endswith("wdlp")]
    names = list(dict.fromkeys(name for one in reversed(shown) for name in one.shares))
    figure, plot = plots.axes(_WIDTH, 0.34 * len(names) + 0.9)
    height = 0.8 / len(shown)
    words = []
    for place, (one, colour) in enumerate(zip(shown, (plots.BASELINE, plots.PHASE), strict=False)):
        for row, name in enumerate(names):
            share = one.shares.get(name)
            if share is None:
                continue
            y = row + (place - (len(shown) - 1) / 2) * height
            plot.barh(y, 100 * share.value, height=height, color=colour,
                      label=one.arm if name == next(iter(one.shares)) else None)  # fmt: skip
            plot.plot([100 * max(share.low, 0), 100 * share.high], [y, y], color=plots.INK,
                      linewidth=0.9)  # fmt: skip
            words.append(f"{one.arm}, {name}: {numbers.percent(share.value)}")
    plot.set_yticks(range(len(names)), names)
    plot.invert_yaxis()
    plot.set_xlabel("% of all absolute attributions of the value")
    plot.grid(axis="y", visible=False)
    plot.grid(axis="x", color=plots.GRID, linewidth=0.6)
    plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK, loc="lower right")
    return plots.to_svg(figure, "attributions", "; ".join(words) + ".")


def board(shown: BoardShown, name: str) -> Markup:
    """Draw one position's attributions by square and by group of planes."""
    figure, (squares, planes) = plots.axes(
        _WIDTH, 3.4, columns=2, gridspec_kw={"width_ratios": (1, 1.1)}
    )
    table = np.array(shown.squares).reshape(8, 8)
    most = float(np.abs(table).max()) or 1.0
    for rank in range(8):
        for file in range(8):
            _square(squares, (file, rank), table[rank, file] / most)
    for (file, rank), piece in _pieces(shown.fen).items():
        squares.text(file, rank, piece, ha="center", va="center", fontsize=9, color=plots.INK,
                     fontweight="bold")  # fmt: skip
    squares.set_xlim(-0.5, 7.5)
    squares.set_ylim(-0.5, 7.5)
    squares.set_aspect("equal")
    squares.set_xticks(range(8), list("abcdefgh"))
    squares.set_yticks(range(8), [str(n) for n in range(1, 9)])
    squares.grid(visible=False)
    plots.entitle(squares, f"{shown.arm}: value {numbers.signed(shown.value, 2)}")
    seen = [(label, value) for label, value in shown.planes.items() if value]
    rows = sorted(seen, key=lambda item: -abs(item[1]))[:10]
    values = [value for _, value in rows]
    colours = [plots.PHASE if value > 0 else plots.PLACEBO for value in values]
    planes.barh([label for label, _ in rows], values, color=colours, height=0.65)
    planes.invert_yaxis()
    planes.locator_params(axis="x", nbins=5)
    planes.axvline(0, color=plots.MUTED, linewidth=1)
    planes.grid(axis="y", visible=False)
    plots.entitle(planes, "Sum by group of planes")
    words = ", ".join(f"{label} {numbers.signed(value, 2)}" for label, value in rows)
    return plots.to_svg(figure, name, f"{shown.fen}. {words}.")


def elo(games: Sequence[Games], labels: Mapping[str, str]) -> Markup:
    """Draw every contender's Elo beside v1 with mse, by limit (Fig. 4)."""
    groups, words = [], []
    for one in games:
        rows = []
        for duel in one.duels:
            if duel.first != CORNERS[0]:
                continue
            found = duel.elo.elo
            turned = Interval(0.0 - found.value, 0.0 - found.high, 0.0 - found.low)
            rows.append(Estimate(labels.get(duel.second, duel.second), turned, plots.PHASE))
            words.append(f"{one.limit}, {duel.second}: {numbers.elo_interval(turned)}")
        groups.append((f"{one.limit} a move", rows))
    figure = plots.forest(groups, "Elo above v1 with mse", 0, hints=("← weaker", "stronger →"))
    return plots.to_svg(figure, "elo", "; ".join(words) + ".")


def _wide_forest(groups: Any, *, near: bool = False) -> Any:
    return plots.forest(groups, "difference of total loss on test positions", 3,
                        hints=("← better", "worse →"), near=near)  # fmt: skip


def _colours(tables: Sequence[Table]) -> dict[str, str]:
    named = [plots.PHASE, plots.PLACEBO, plots.BASELINE, plots.PAPER, "#3da092", "#b0477a"]
    return {table.name: colour for table, colour in zip(tables, named, strict=False)}


def _plain_ticks(plot: Any) -> None:
    """Numbers in place of powers of ten, few enough to be read."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    plot.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5), numticks=6))
    plot.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    plot.xaxis.set_minor_formatter(NullFormatter())


def _square(plot: Any, place: tuple[int, int], strength: float) -> None:
    from matplotlib.patches import Rectangle

    file, rank = place
    colour = plots.PHASE if strength > 0 else plots.PLACEBO
    corner = (file - 0.5, rank - 0.5)
    plot.add_patch(Rectangle(corner, 1, 1, facecolor=plots.GRID if (file + rank) % 2 == 0 else
                             plots.SURFACE, linewidth=0))  # fmt: skip
    plot.add_patch(Rectangle(corner, 1, 1, facecolor=colour, alpha=0.85 * abs(strength),
                             linewidth=0))  # fmt: skip


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
