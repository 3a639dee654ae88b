"""The study's report: one HTML page for readers who know nothing of the code."""

from markupsafe import Markup

from phasezoo.experiments.krk import drawings, paper, story
from phasezoo.experiments.krk.curves import NAMES
from phasezoo.experiments.krk.reading import DIFFERENCES
from phasezoo.experiments.krk.results import Figure, Results
from phasezoo.experiments.statistics import wilson
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
        figures=[(one, _drawings(one, results)) for one in results.figures],
        elsewhere=[(one, _drawings(one, results, "positions")[:1]) for one in results.elsewhere],
        introduction=story.introduction(results),
        judgements=story.judgements(results),
        names=NAMES,
        differences=DIFFERENCES,
        reading_changes=drawings.reading_changes(results.readings) if results.readings else None,
        variant_sentence=story.variant_sentence(results),
        wilson=wilson,
    )


def _drawings(
    one: Figure, results: Results, drawn_again: str = "games"
) -> list[tuple[Markup, str]]:
    bands = f" Bands are 95 % intervals over {drawn_again}."
    if not one.panels:
        won = (
            "Ours, not the study’s: the share of games won by each setting, against the same mean "
            "DTM difference, with Wilson’s 95 % intervals. The difference counts moves that kept "
            "the win alone; what turned a win into a draw is seen here."
        )
        return [
            (drawings.lengths(results.cells), one.about),
            (drawings.win_rates(results.cells), won),
        ]
    drawn = [(drawings.curves(one), one.about + bands)]
    # A few distributions are drawn; for many a table is easier to read.
    if 0 < len(one.choices) <= 2:
        caption = "Where these curves are lowest, by resamples; the study’s value is shaded."
        name = f"choice-{one.number.replace('.', '-')}"
        drawn.append((drawings.choice_bars(one.choices, name), caption))
    return drawn
