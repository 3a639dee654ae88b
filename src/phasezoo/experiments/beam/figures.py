"""Figures of the report, each made from results alone and described in words."""

from collections.abc import Sequence
from typing import Any

from phasezoo.experiments.beam import published
from phasezoo.experiments.beam.measurements import Batches, MatchResult
from phasezoo.report import numbers, plots
from phasezoo.report.document import Figure


def rows_by_call(found: Batches, caption: str) -> Figure:
    """Show rows by call, of games a layer apart and in step."""

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 3.4)
        for rows, colour, name in (
            (found.in_step, plots.BASELINE, "games in step"),
            (found.apart, plots.PHASE, "games a layer apart"),
        ):
            calls = range(1, len(rows) + 1)
            plot.step(calls, rows, where="mid", color=colour, label=name, linewidth=1.6)
            plot.plot(calls, rows, "o", color=colour, markersize=3)
        plot.axhline(published.BLOCK_ROWS, color=plots.PAPER, linestyle="--", linewidth=1)
        plot.annotate(
            f"{numbers.count(published.BLOCK_ROWS)} (the note)",
            (len(found.apart), published.BLOCK_ROWS), xytext=(0, 4), textcoords="offset points",
            ha="right", color=plots.PAPER, fontsize=9,
        )  # fmt: skip
        plot.set_xlabel("call of the network")
        plot.set_ylabel("rows")
        plot.set_ylim(0)
        plots.legend(plot, loc="lower right", fontsize=9)
        return figure

    words = (
        f"Rows of each call of {published.GAMES_OF_A_BLOCK} games. A layer apart they come to "
        f"{found.apart[-1]}; in step they swing between {min(found.in_step)} and "
        f"{max(found.in_step)}."
    )
    return Figure("rows-by-call", draw, caption, words)


def strength(matches: Sequence[MatchResult], caption: str) -> Figure:
    """Show Elo of the beam against MCTS with intervals."""

    def draw() -> Any:
        rows = [
            plots.Estimate(
                f"at {one.name} ({numbers.count(one.nodes)} nodes)", one.elo, plots.PHASE
            )
            for one in matches
        ]
        hints = ("MCTS is stronger", "beam search is stronger")
        return plots.forest([("Beam against MCTS", rows)], "Elo", 0, hints=hints)

    words = "; ".join(f"at {one.name} {numbers.elo_interval(one.elo)} Elo" for one in matches)
    return Figure("strength", draw, caption, f"Beam against MCTS: {words}.")
