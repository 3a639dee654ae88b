"""The study's report: one HTML page for readers who know nothing of the code."""

from collections.abc import Sequence

from markupsafe import Markup

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.pommerman import paper, story
from phasezoo.experiments.m2cts.pommerman.results import Record, Results
from phasezoo.report import html, plots

__all__ = ["render"]


def render(results: Results) -> str:
    """Return the report as one page that needs nothing from outside.

    Args:
        results: Everything a run found.

    Raises:
        MissingDependency: Matplotlib is not installed.
    """
    compared = [r for r in results.records if r.kind in ("one", "gate", "placebo")]
    return html.render(
        __package__,
        results,
        story.headline(results),
        compared=compared,
        differences=_differences(compared),
        references=[r for r in results.records if r not in compared],
        story=story,
        paper=paper,
    )


def _differences(records: Sequence[Record]) -> Markup:
    """Win rates less one network's, drawn."""
    paper = Interval(8.0, 5.0, 11.0)
    quoted = plots.Estimate("steps and mixedness", paper, plots.PAPER, "+5 to +11")
    groups = [
        ("Experts by phase", [_row(r, plots.PHASE) for r in records if r.kind == "gate"]),
        ("Placebo", [_row(r, plots.PLACEBO) for r in records if r.kind == "placebo"]),
        ("The paper", [quoted]),
    ]
    hints = ("one network wins more", "experts win more")
    figure = plots.forest(groups, "win rate less one network’s, percentage points", 1, hints=hints)
    return plots.to_svg(figure, "differences", "Differences of win rates with 95 % intervals")


def _row(record: Record, colour: str) -> plots.Estimate:
    return plots.Estimate(record.name, story.in_points(record.difference), colour, strong=True)
