"""Drawings of what networks lose while they learn."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.duel.arms import BASELINE, EXPERT, ONE
from phasezoo.report import numbers, plots

__all__ = ["phase_courses", "training_losses", "watched"]


def training_losses(networks: Sequence[NetworkCard], phases: Sequence[str]) -> Markup:
    """Draw every network's training and validation loss, phase experts left, placebo right."""
    figure, (left, right) = plots.axes(7.6, 3.3, columns=2, sharey=True)
    colours = dict(zip(phases, plots.ordered_colours(len(phases)), strict=True))
    shades = plots.ordered_colours(max(1, sum(n.role == "placebo" for n in networks)))
    for plot, role, title in (
        (left, "expert", "Phase experts"),
        (right, "placebo", "Placebo experts"),
    ):
        drawn = [n for n in networks if n.role in ("baseline", role)]
        parts = list(dict.fromkeys(n.phase for n in drawn if n.role == role))
        for network in drawn:
            if network.role == "baseline":
                colour, label = plots.INK, "one network"
            else:
                part = parts.index(network.phase)
                colour = colours.get(network.phase or "", shades[part % len(shades)])
                label = network.phase or network.name
            _draw_curve(plot, network, colour, label)
        plots.entitle(plot, title)
        plot.set_xlabel("training positions seen")
        plot.xaxis.set_major_formatter(lambda value, _: _thousands(value))
        plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK, loc="upper right")
    words = [
        f"{network.name} {network.best_validation:.3f}"
        for network in networks
        if network.best_validation is not None and network.training == 0
    ]
    left.set_ylabel("total loss")
    ends = f" Lowest validation losses: {', '.join(words)}." if words else ""
    text = f"Training and validation loss of each network by training positions seen.{ends}"
    return plots.to_svg(figure, "training", text)


def watched(networks: Sequence[NetworkCard], phases: Sequence[str]) -> list[NetworkCard]:
    """The networks that were measured on every phase while they learnt.

    Args:
        networks: What the networks got.
        phases: The phases of the gate under study.
    """
    return [
        network
        for network in networks
        if network.role in (BASELINE, EXPERT)
        and all(network.curve.phase_loss.get(phase) for phase in phases)
    ]


def phase_courses(drawn: Sequence[NetworkCard], phases: Sequence[str]) -> Markup:
    """Draw loss and policy accuracy on every phase of one network and of every expert.

    Losses stand on the left, accuracies on the right, a row for each phase (M2CTS paper, Figs 20
    to 29).

    Args:
        drawn: The networks that :func:`watched` finds.
        phases: The phases of the gate under study.
    """
    rows = len(phases)
    figure, plotted = plots.axes(
        7.6, 0.8 + 1.7 * rows, columns=2, rows=rows, sharex=True, sharey="col"
    )
    colours = dict(zip(phases, plots.ordered_colours(rows), strict=True))
    for row, phase in enumerate(phases):
        losses, accuracies = plotted[2 * row : 2 * row + 2]
        for network in drawn:
            own = network.phase
            colour, label = (plots.INK, ONE) if own is None else (colours[own], own)
            curve, style = network.curve, _style(network, colour)
            shown = label if network.training == 0 else None
            for plot, measured in ((losses, curve.phase_loss), (accuracies, curve.phase_accuracy)):
                found = np.array(measured[phase], dtype=float)
                plot.plot(curve.validation_positions, found, label=shown, **style)
        plots.entitle(losses, f"on {phase}: total loss")
        plots.entitle(accuracies, f"on {phase}: policy accuracy")
    for plot in plotted[-2:]:
        plot.set_xlabel("training positions seen")
        plot.xaxis.set_major_formatter(lambda value, _: _thousands(value))
    plotted[0].legend(frameon=False, fontsize=8, labelcolor=plots.INK, loc="upper right")
    return plots.to_svg(figure, "phase-courses", " ".join(_last_words(drawn, phases)))


def _last_words(networks: Sequence[NetworkCard], phases: Sequence[str]) -> list[str]:
    """What the first training's networks come to on every phase, for those who cannot see it."""
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


def _style(network: NetworkCard, colour: str) -> dict[str, Any]:
    """Lines of the first training stand out from those of the others."""
    first = network.training == 0
    return {
        "color": colour,
        "alpha": 1.0 if first else 0.25,
        "linewidth": 1.6 if first else 0.8,
    }


def _draw_curve(plot: Any, network: NetworkCard, colour: str, label: str) -> None:
    first = network.training == 0
    style = _style(network, colour)
    curve = network.curve
    if curve.positions:
        positions, smooth = _smoothed(curve.positions, curve.train)
        plot.plot(positions, smooth, label=label if first else None, **style)
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


def _smoothed(positions: Sequence[int], losses: Sequence[float]) -> tuple[Any, Any]:
    """Means of equal stretches: at most 60 points, so that noise does not hide the course."""
    stretches = min(60, len(losses))
    x = [part.mean() for part in np.array_split(np.array(positions, dtype=float), stretches)]
    y = [part.mean() for part in np.array_split(np.array(losses, dtype=float), stretches)]
    return x, y


def _thousands(value: float) -> str:
    if value >= 1e6:
        return f"{value / 1e6:g} M"
    return f"{value / 1e3:g} k" if value >= 1000 else f"{value:g}"
