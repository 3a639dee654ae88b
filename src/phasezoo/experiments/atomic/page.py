"""The study's report: one HTML page for readers who know nothing of the code."""

from phasezoo.experiments.atomic import drawings, paper, story
from phasezoo.experiments.atomic.results import Results
from phasezoo.experiments.claims import judgements
from phasezoo.report import html

__all__ = ["render"]


def render(results: Results) -> str:
    """Return the report as one page that needs nothing from outside.

    Args:
        results: Everything a run found.

    Raises:
        MissingDependency: Matplotlib is not installed.
    """
    own = results.courses[0]
    figures = [
        (
            drawings.losses(results.courses),
            "Losses of every variant over the games it has played, by what it learnt from.",
        )
    ]
    if own.ladder:
        caption = (
            "Ratings of the thesis’ variant by matches between its versions; bars are 95 % "
            "intervals."
        )
        figures.append((drawings.ladder(own), caption))
    if any(len(one.numbers) > 1 for one in own.probes):
        caption = (
            "Mates in two of the sample games that versions find, the network alone and with "
            "search."
        )
        figures.append((drawings.mates(own), caption))
    caption = (
        "Collisions of a single search, the network by the rows of a call, and self-play by "
        "processes with one thread each."
    )
    figures.append((drawings.costs(results.searched), caption))
    return html.render(
        __package__,
        results,
        story.headline(results),
        citation=paper.CITATION,
        figures=figures,
        introduction=story.introduction(results),
        judgements=judgements(results.claims),
        paper=paper,
        title_of=story.title_of,
        hours=_hours(results),
    )


def _hours(results: Results) -> float:
    """Hours that the thesis' positions would take this machine, playing as this run did."""
    return paper.POSITIONS / results.searched.workers[-1].positions / 3600
