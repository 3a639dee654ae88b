"""The report's drawings, each made from results alone and described in words."""

from collections.abc import Sequence

from markupsafe import Markup

from phasezoo.experiments.learning import Course
from phasezoo.experiments.m2cts.scratch import paper
from phasezoo.experiments.m2cts.scratch.results import Advantage
from phasezoo.report import numbers, plots

__all__ = ["advantages", "lengths"]

_WIDTH = 7.6
"""Inches of a full-width drawing."""


def advantages(found: Sequence[Advantage]) -> Markup:
    """Draw the experts' Elo over one network by rounds; what the paper says stands at the right."""
    figure, plot = plots.axes(_WIDTH, 3.2)
    strategies = list(dict.fromkeys(one.strategy for one in found))
    plot.axhline(0, color=plots.BASELINE, linewidth=1)
    for place, strategy in enumerate(strategies):
        own = [one for one in found if one.strategy == strategy]
        colour = _colour(place)
        x = [one.update + 0.08 * place for one in own]
        plots.with_intervals(plot, x, [one.elo for one in own], strategy, colour)
        if strategy in paper.ELO:
            plot.plot([paper.UPDATES], [paper.ELO[strategy]], "D", color=plots.PAPER, markersize=5)
    plot.set_xlabel("rounds of playing and learning")
    plot.xaxis.get_major_locator().set_params(integer=True)
    plot.set_ylabel("Elo over one network")
    plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK)
    words = "; ".join(
        f"{one.strategy} after {one.update} rounds {numbers.elo_interval(one.elo)}" for one in found
    )
    return plots.to_svg(figure, "advantages", f"Elo of experts over one network: {words}.")


def lengths(courses: Sequence[Course]) -> Markup:
    """Draw the mean length of games by rounds, a line for each training."""
    figure, plot = plots.axes(_WIDTH, 2.6)
    for place, course in enumerate(courses):
        rounds = [one.update for one in course.rounds]
        plot.plot(rounds, [one.plies for one in course.rounds], "-o", markersize=3,
                  color=_colour(place), label=course.name)  # fmt: skip
    plot.set_xlabel("rounds of playing and learning")
    plot.xaxis.get_major_locator().set_params(integer=True)
    plot.set_ylabel("plies a game")
    plot.legend(frameon=False, fontsize=8, labelcolor=plots.INK, ncols=3)
    words = "; ".join(
        f"{course.name} {numbers.decimal(course.rounds[0].plies, 0)} to "
        f"{numbers.decimal(course.rounds[-1].plies, 0)}"
        for course in courses
    )
    return plots.to_svg(figure, "plies", f"Mean length of games by rounds: {words}.")


def _colour(place: int) -> str:
    colours = (plots.PHASE, plots.PLACEBO, plots.BASELINE, plots.INK, plots.MUTED)
    return colours[place % len(colours)]
