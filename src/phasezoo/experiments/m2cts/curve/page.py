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
    figures = {
        "Test loss of each mixture less that of one network that saw as many positions; below zero "
        f"the mixture is better. Bars are 95 % intervals over {counts}.": drawings.losses(
            results.curves
        ),
        "Strength of each mixture over one network that saw as many positions; above zero the "
        "mixture is stronger. Bars are 95 % intervals. A mixture that won or lost all games at a "
        "size has no point there.": drawings.elo(results.curves),
    }
    return html.render(
        __package__,
        results,
        story.headline(results),
        exact=list(results.curves[0].points[0].exact),
        crossing=partial(story.crossing_text, results=results),
        figures={caption: drawing for caption, drawing in figures.items() if drawing is not None},
        level=partial(story.level, results=results),
        introduction=story.introduction(results),
        published=paper,
    )
