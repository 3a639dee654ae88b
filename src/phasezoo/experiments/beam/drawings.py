"""The report's drawings, each made from results alone and described in words."""

from markupsafe import Markup

from phasezoo.experiments.beam import paper
from phasezoo.experiments.beam.results import Results
from phasezoo.report import numbers, plots

__all__ = ["by_tick", "strength"]

_WIDTH = 7.6
"""Inches of a full-width drawing."""


def by_tick(results: Results) -> Markup:
    """Draw rows by call, of games a layer apart and in step."""
    figure, plot = plots.axes(_WIDTH, 3.4)
    found = results.batches
    for rows, colour, name in (
        (found.in_step, plots.BASELINE, "games in step"),
        (found.apart, plots.PHASE, "games a layer apart"),
    ):
        ticks = range(1, len(rows) + 1)
        plot.step(ticks, rows, where="mid", color=colour, label=name, linewidth=1.6)
        plot.plot(ticks, rows, "o", color=colour, markersize=3)
    plot.axhline(paper.BLOCK_ROWS, color=plots.PAPER, linestyle="--", linewidth=1)
    note = f"{numbers.count(paper.BLOCK_ROWS)} (the note)"
    plot.annotate(
        note, (len(found.apart), paper.BLOCK_ROWS), xytext=(0, 4), textcoords="offset points",
        ha="right", color=plots.PAPER, fontsize=9,
    )  # fmt: skip
    plot.set_xlabel("call of the network")
    plot.set_ylabel("rows")
    plot.set_ylim(0)
    plot.legend(frameon=False, loc="lower right", fontsize=9, labelcolor=plots.INK)
    words = (
        f"Rows of each call of {paper.GAMES_OF_A_BLOCK} games. A layer apart they come to "
        f"{found.apart[-1]}; in step they swing between {min(found.in_step)} and "
        f"{max(found.in_step)}."
    )
    return plots.to_svg(figure, "rows-by-call", words)


def strength(results: Results) -> Markup:
    """Draw Elo of the beam against MCTS with intervals."""
    rows = [
        plots.Estimate(f"at {one.name} ({numbers.count(one.nodes)} nodes)", one.elo, plots.PHASE)
        for one in results.matches
    ]
    hints = ("MCTS is stronger", "beam search is stronger")
    figure = plots.forest([("Beam against MCTS", rows)], "Elo", 0, hints=hints)
    words = "; ".join(
        f"at {one.name} {numbers.elo_interval(one.elo)} Elo" for one in results.matches
    )
    return plots.to_svg(figure, "strength", f"Beam against MCTS: {words}.")
