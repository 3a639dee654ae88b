"""Figures of the report, each made from results alone and described in words."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from phasezoo.experiments.two_player import published
from phasezoo.experiments.two_player.matches import Results
from phasezoo.experiments.two_player.preparation import Dataset
from phasezoo.experiments.two_player.variants import BASELINE, EXPERT, ONE, PLACEBO
from phasezoo.report import numbers, plots
from phasezoo.report.document import Figure
from phasezoo.training.experts.planned import TrainedNetwork

_SHOWN_SHARE = 0.995
"""Share of all positions behind whose last move the picture of phases ends: a thin tail."""

_MOST_EXPERTS = 6
"""Experts that the drawing of the method has room for."""


def method(phases: Sequence[str]) -> Figure:
    """Show how a position is judged: one network above, gate and experts below."""

    def draw() -> Markup:
        shown = list(phases)
        if len(shown) > _MOST_EXPERTS:
            rest = len(shown) - _MOST_EXPERTS + 1
            shown = [*shown[: _MOST_EXPERTS - 1], f"… {rest} more"]
        step, top = 52, 110
        middle = top + step * len(shown) / 2
        grey, ink, light = "var(--grid)", "var(--ink)", "var(--surface)"
        parts = [
            _box(20, 26, 120, "position", grey, ink),
            _arrow(140, 46, 390, 46),
            _box(390, 26, 170, "one network", "var(--baseline)", light),
            _arrow(560, 46, 600, 46),
            _box(600, 26, 100, "MCTS", grey, ink),
            Markup('<path d="M20 {}H700" stroke="var(--grid)"></path>').format(top - 22),
            _box(20, middle - 20, 120, "position", grey, ink),
            _arrow(140, middle, 190, middle),
            _box(190, middle - 20, 100, "gate", "var(--phase)", light),
            _box(600, middle - 20, 100, "M2CTS", grey, ink),
        ]
        for place, colour in enumerate(plots.ordered_colours(len(shown))):
            y = top + step * (place + 0.5)
            on = "#ffffff" if place == len(shown) - 1 else "#10131a"
            parts += [
                _arrow(290, middle, 390, y),
                _box(390, y - 18, 170, shown[place], colour, on, height=36),
                _arrow(560, y, 600, middle),
            ]
        return Markup(
            '<svg viewBox="0 0 720 {}" role="img" aria-labelledby="method-title" font-size="15">'
            '<title id="method-title">{}</title>{}</svg>'
        ).format(top + step * len(shown) + 14, words, Markup("").join(parts))

    words = (
        "Two ways to judge a position. One: the position goes to one network, whose answer goes to "
        "the search MCTS. Two: a gate names the phase of the position, the expert for "
        f"{' or '.join(phases)} answers, and the answer goes to the search M2CTS."
    )
    caption = (
        "How a position is judged. Above: one network for everything. Below: the gate names the "
        "phase, and that phase’s expert answers. The search around it is the same."
    )
    return Figure("method", draw, caption, words)


def _box(
    x: float, y: float, width: int, text: str, colour: str, ink: str, height: int = 40
) -> Markup:
    return Markup(
        '<rect x="{:g}" y="{:g}" width="{}" height="{}" rx="9" fill="{}"></rect><text x="{:g}" '
        'y="{:g}" text-anchor="middle" fill="{}" style="font-family: var(--font)">{}</text>'
    ).format(
        x, y, width, height, colour, x + width / 2, y + height / 2 + 5, ink,
        text if len(text) <= 20 else f"{text[:19]}…",
    )  # fmt: skip


def _arrow(x1: float, y1: float, x2: float, y2: float) -> Markup:
    bend = (x1 + x2) / 2
    line = f"M{x1} {y1:g}C{bend:g} {y1:g} {bend:g} {y2:g} {x2 - 9} {y2:g}"
    head = f"{x2 - 9},{y2 - 4.5:g} {x2 - 1},{y2:g} {x2 - 9},{y2 + 4.5:g}"
    return Markup(
        '<path d="{}" fill="none" stroke="var(--muted)" stroke-width="1.6"></path>'
        '<polygon points="{}" fill="var(--muted)"></polygon>'
    ).format(line, head)


def phases_by_move(dataset: Dataset) -> Figure:
    """Show how many positions of each phase there are at each move number."""
    counts = np.array(dataset.by_move, dtype=float)
    totals = counts.sum(axis=0)
    share = totals.cumsum() / max(totals.sum(), 1)
    shown = counts[:, : int(np.searchsorted(share, _SHOWN_SHARE)) + 1]

    def draw() -> Any:
        moves = np.arange(1, shown.shape[1] + 1)
        figure, plot = plots.axes(plots.WIDTH, 3.0)
        colours = plots.ordered_colours(len(dataset.phases))
        plot.stackplot(moves, shown, colors=colours, edgecolor=plots.SURFACE, linewidth=0.8)
        lower = np.zeros(shown.shape[1])
        unnamed = False
        for name, row, colour in zip(dataset.phases, shown, colours, strict=True):
            unnamed |= not _label_area(plot, name, (lower, row), colour)
            lower = lower + row
        plot.set_xlim(1, max(2, shown.shape[1]))
        plot.set_ylim(bottom=0)
        plot.set_xlabel("move number")
        plot.set_ylabel("positions")
        plot.yaxis.set_major_formatter(lambda value, _: numbers.count(value))
        if unnamed:
            handles = _patches(dataset.phases, colours)
            plot.legend(handles=handles, frameon=False, fontsize=9, labelcolor=plots.INK, loc=1)
        return figure

    starts = [
        f"{name} at move {numbers.decimal(start.mean, 1)} ± {numbers.decimal(start.deviation, 1)}"
        for name, start in zip(dataset.phases, dataset.starts, strict=True)
        if start is not None and start.mean > 1
    ]
    caption = "Positions of each phase by move number."
    if starts:
        caption += f" Phases begin, mean ± standard deviation: {', '.join(starts)}."
    peaks = ", ".join(
        f"{name}: {numbers.count(row.sum())} positions, most at move {int(row.argmax()) + 1}"
        for name, row in zip(dataset.phases, shown, strict=True)
        if row.sum()
    )
    words = f"Positions of each phase by move number. {peaks}."
    return Figure("phases", draw, caption, words)


def _label_area(plot: Any, name: str, area: tuple[Any, Any], colour: str) -> bool:
    """Write a phase's name where its area is highest; return whether there was room."""
    lower, row = area
    inside = slice(len(row) // 16, len(row) - len(row) // 16)
    place = int(row[inside].argmax()) + inside.start if len(row[inside]) else 0
    if row[place] < 0.15 * (lower + row).max(initial=1):
        return False
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    is_light = 0.299 * red + 0.587 * green + 0.114 * blue > 140  # luma of ITU-R BT.601
    ink = "#10131a" if is_light else "#ffffff"
    height = lower[place] + row[place] / 2
    plot.text(place + 1, height, name, ha="center", va="center", fontsize=9.5, color=ink)
    return True


def _patches(names: Sequence[str], colours: Sequence[str]) -> list[Any]:
    from matplotlib.patches import Patch

    return [Patch(facecolor=c, label=name) for name, c in zip(names, colours, strict=True)]


def training_losses(networks: Sequence[TrainedNetwork], phases: Sequence[str]) -> Figure:
    """Show every network's training and validation loss, phase experts left, a placebo right."""

    def draw() -> Any:
        shown = [(EXPERT, "Phase experts"), (PLACEBO, "Placebo experts")]
        shown = [(role, title) for role, title in shown if any(n.role == role for n in networks)]
        figure, panels = plots.axes(plots.WIDTH, 3.3, columns=len(shown), sharey=True)
        colours = dict(zip(phases, plots.ordered_colours(len(phases)), strict=True))
        shades = plots.ordered_colours(max(1, sum(n.role == PLACEBO for n in networks)))
        for plot, (role, title) in zip(np.ravel(panels), shown, strict=True):
            drawn = [n for n in networks if n.role in (BASELINE, role)]
            parts = list(dict.fromkeys(n.phase for n in drawn if n.role == role))
            for network in drawn:
                if network.role == BASELINE:
                    colour, label = plots.INK, ONE
                else:
                    part = parts.index(network.phase)
                    colour = colours.get(network.phase or "", shades[part % len(shades)])
                    label = network.phase or network.name
                _draw_curve(plot, network, colour, label)
            plots.entitle(plot, title)
            _name_positions(plot)
            plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK, loc="upper right")
        figure.axes[0].set_ylabel("total loss")
        return figure

    best = [
        f"{network.name} {network.validation_loss:.3f}"
        for network in networks
        if network.validation_loss is not None and network.training == 0
    ]
    ends = f" Lowest validation losses: {', '.join(best)}." if best else ""
    caption = (
        "Loss while training: lines are training losses (means over stretches), dots are losses on "
        "validation positions of the network’s own kind. Phases differ in difficulty, so curves of "
        "different experts say little about each other."
    )
    words = f"Training and validation loss of each network by training positions seen.{ends}"
    return Figure("training", draw, caption, words)


def watched(networks: Sequence[TrainedNetwork], phases: Sequence[str]) -> list[TrainedNetwork]:
    """Return the networks that were measured on every phase while they learned."""
    return [
        network
        for network in networks
        if network.role in (BASELINE, EXPERT)
        and all(network.curve.phase_loss.get(phase) for phase in phases)
    ]


def phase_losses(drawn: Sequence[TrainedNetwork], results: Results) -> Figure:
    """Show loss and policy accuracy on every phase of one network and of every expert.

    Losses stand on the left, accuracies on the right, a row for each phase.
    """
    phases = results.dataset.phases

    def draw() -> Any:
        rows = len(phases)
        figure, plotted = plots.axes(
            plots.WIDTH, 0.8 + 1.7 * rows, columns=2, rows=rows, sharex=True, sharey="col"
        )
        colours = dict(zip(phases, plots.ordered_colours(rows), strict=True))
        for row, phase in enumerate(phases):
            losses, accuracies = plotted[2 * row : 2 * row + 2]
            for network in drawn:
                own = network.phase
                colour, label = (plots.INK, ONE) if own is None else (colours[own], own)
                curve, style = network.curve, _style(network, colour)
                shown = label if network.training == 0 else None
                for plot, measured in (
                    (losses, curve.phase_loss),
                    (accuracies, curve.phase_accuracy),
                ):
                    found = np.array(measured[phase], dtype=float)
                    plot.plot(curve.validation_positions, found, label=shown, **style)
            plots.entitle(losses, f"on {phase}: total loss")
            plots.entitle(accuracies, f"on {phase}: policy accuracy")
        for plot in plotted[-2:]:
            _name_positions(plot)
        plotted[0].legend(frameon=False, fontsize=8, labelcolor=plots.INK, loc="upper right")
        return figure

    paper = ", as in the paper’s Figs 20 to 29" if published.has(results.config) else ""
    several = " Thin lines are further trainings." if results.config.trainings > 1 else ""
    caption = (
        "Losses and policy accuracy of one network and of every expert on validation positions of "
        f"every phase while they learn{paper}. In a row curves of different networks are of the "
        "same positions and can be compared; the positions that a network saw are of its own phase "
        f"alone if it learns separated from the others.{several}"
    )
    return Figure("phase-courses", draw, caption, " ".join(_last_words(drawn, phases)))


def _last_words(networks: Sequence[TrainedNetwork], phases: Sequence[str]) -> list[str]:
    """Return the first training's last losses on every phase."""
    return [
        f"At the end on {phase}: "
        + ", ".join(
            f"{network.phase or ONE} loss {numbers.decimal(network.curve.phase_loss[phase][-1])}, "
            f"accuracy {numbers.decimal(network.curve.phase_accuracy[phase][-1])}"
            for network in networks
            if network.training == 0
        )
        + "."
        for phase in phases
    ]


def _style(network: TrainedNetwork, colour: str) -> dict[str, Any]:
    """Return the style of a line; those of the first training stand out."""
    first = network.training == 0
    return {
        "color": colour,
        "alpha": 1.0 if first else 0.25,
        "linewidth": 1.6 if first else 0.8,
    }


def _draw_curve(plot: Any, network: TrainedNetwork, colour: str, label: str) -> None:
    first = network.training == 0
    style = _style(network, colour)
    curve = network.curve
    if curve.positions:
        # Means of at most 60 equal stretches, so that noise does not hide the trend.
        stretches = min(60, len(curve.train))
        x, y = (
            [part.mean() for part in np.array_split(np.array(values, dtype=float), stretches)]
            for values in (curve.positions, curve.train)
        )
        plot.plot(x, y, label=label if first else None, **style)
    if curve.validation_positions:
        plot.plot(
            curve.validation_positions,
            curve.validation,
            "o",
            markersize=3.2 if first else 1.5,
            markeredgecolor=plots.SURFACE,
            markeredgewidth=0.4,
            color=colour,
            alpha=style["alpha"],
            label=None if curve.positions or not first else label,
        )


def _name_positions(plot: Any) -> None:
    def thousands(value: float, _: int) -> str:
        if value >= 1e6:
            return f"{value / 1e6:g} M"
        return f"{value / 1e3:g} k" if value >= 1000 else f"{value:g}"

    plot.set_xlabel("training positions seen")
    plot.xaxis.set_major_formatter(thousands)
