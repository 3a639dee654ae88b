"""The curve's report: one HTML page for readers who know nothing of the code."""

from functools import partial

from phasezoo.experiments.m2cts.curve import drawings, story
from phasezoo.experiments.m2cts.curve.results import Results
from phasezoo.experiments.m2cts.duel import paper
from phasezoo.report import html

__all__ = ["render"]


def render(results: Results) -> str:
    """Return the report as one page that needs nothing from outside.

    Args:
        results: Everything a run found.

    Raises:
        MissingDependency: Matplotlib is not installed.
    """
    counts = "trainings and test games" if results.config.trainings > 1 else "test games alone"
    losses = drawings.losses(results.curves)
    elo = drawings.elo([one for one in results.curves if one.elo_crossing is not None])
    return html.render(
        __package__,
        results,
        story.headline(results),
        exact=list(results.curves[0].points[0].exact),
        crossing=partial(story.crossing_text, results=results),
        figures={
            f"Test loss of each mixture less that of one network that saw as many positions; below "
            f"zero the mixture is better. Bars are 95 % intervals over {counts}.": losses,
            "Strength of each mixture over one network that saw as many positions; above zero the "
            "mixture is stronger. Bars are 95 % intervals.": elo,
        },
        level=partial(story.level, results=results),
        introduction=story.introduction(results),
        published=paper,
    )
