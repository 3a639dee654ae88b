"""The comparison's report: one HTML page for readers who know nothing of the code."""

from phasezoo.experiments.claims import judgements
from phasezoo.experiments.m2cts.scratch import drawings, paper, story
from phasezoo.experiments.m2cts.scratch.results import Results
from phasezoo.report import html

__all__ = ["render"]


def render(results: Results) -> str:
    """Return the report as one page that needs nothing from outside.

    Args:
        results: Everything a run found.

    Raises:
        MissingDependency: Matplotlib is not installed.
    """
    return html.render(
        __package__,
        results,
        story.headline(results),
        citation=paper.CITATION,
        figures=[
            (
                drawings.advantages(results.advantages),
                "Experts against one network that has learnt as long. Bars are 95 % intervals"
                + (", over trainings" if results.config.trainings > 1 else ", over games alone")
                + "; diamonds are the paper’s figures after its ten rounds.",
            ),
            (drawings.lengths(results.courses), "How long games of self-play were."),
        ],
        introduction=story.introduction(results),
        judgements=judgements(results.claims),
        paper=paper,
    )
