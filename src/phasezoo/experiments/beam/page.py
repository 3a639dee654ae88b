"""The study's report: one HTML page for readers who know nothing of the code."""

from phasezoo.experiments.beam import drawings, paper, story
from phasezoo.experiments.beam.findings import steady
from phasezoo.experiments.beam.results import Results
from phasezoo.experiments.claims import judgements
from phasezoo.report import html

__all__ = ["render"]


def render(results: Results) -> str:
    """Return the report as one page that needs nothing from outside.

    Raises:
        MissingDependency: Matplotlib is not installed.
    """
    return html.render(
        __package__,
        results,
        story.headline(results),
        citation=paper.CITATION,
        introduction=story.introduction(results),
        judgements=judgements(results.claims),
        steady=steady(results.config, results.batches),
        by_tick=drawings.by_tick(results),
        strength=drawings.strength(results),
    )
