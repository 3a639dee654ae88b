"""The study's report: one HTML page for readers who know nothing of the code."""

from phasezoo.experiments.m2cts.duel import appendix, sections, story
from phasezoo.experiments.m2cts.duel.results import ALL, Results
from phasezoo.experiments.m2cts.duel.titles import TITLES
from phasezoo.experiments.report import numbers
from phasezoo.experiments.report.html import (
    Html,
    document,
    element,
    heading,
    join,
    paragraph,
    tile,
)
from phasezoo.experiments.statistics import verdict

__all__ = ["render"]


def render(results: Results) -> str:
    """Return the report as one page that needs nothing from outside.

    Args:
        results: Everything a run found.

    Raises:
        MissingDependency: Matplotlib is not installed.
    """
    body = join(
        _top(results),
        sections.asked(results),
        sections.done(results),
        sections.losses(results),
        sections.match(results),
        appendix.certainty(results),
        appendix.published(results),
        appendix.terms(results),
        appendix.again(results),
    )
    return document(f"M2CTS against MCTS: {story.headline(results)}", body)


def _top(results: Results) -> Html:
    total = results.matches.total
    kicker = (
        f"phasezoo · reproduce m2cts · preset {results.config.preset} · {results.dataset.game} · "
        f"{results.date}"
    )
    lead = (
        "Games have phases. Does a chess program play better when it has one neural network for "
        "each phase of the game, and its search picks the right one position by position, than "
        "with one network for everything?"
    )
    links = [element("a", title, href=f"#{anchor}") for anchor, title in TITLES.items()]
    tiles = element("div", *_tiles(results), class_="tiles")
    answer = element(
        "section",
        heading(story.headline(results), 2),
        paragraph(story.opening_paragraph(results)),
        tiles,
        paragraph(
            f"{numbers.count(total.games)} games, {results.config.trainings} "
            f"{'trainings' if results.config.trainings > 1 else 'training'} of each side, "
            f"{numbers.duration(sum(results.seconds.values()))} in all on "
            f"{results.provenance.processor} ({results.provenance.threads} threads).",
            class_="muted",
        ),
        class_="answer",
    )
    return join(
        paragraph(kicker, class_="kicker"),
        element("h1", "One network per phase, or one for all?"),
        paragraph(lead, class_="lead"),
        answer,
        element("nav", *links, class_="contents", aria_label="Contents"),
    )


def _tiles(results: Results) -> list[Html]:
    elo = results.matches.elo
    tones = {"higher": "better", "lower": "worse", "unclear": ""}
    tiles = [
        tile(
            "Strength of M2CTS over MCTS",
            f"{numbers.signed(elo.value, 0)} Elo",
            f"{story.describe(elo)}; {_word(verdict(elo), 'stronger', 'weaker')}",
            tones[verdict(elo)],
        )
    ]
    names = {
        "specialisation": "Test loss: specialisation",
        "thinning": "Test loss: thinner data",
    }
    for name, label in names.items():
        interval = story.comparison(results.losses, name).differences[ALL].total
        if interval is None:
            tiles.append(tile(label, numbers.ABSENT, "no test positions", ""))
            continue
        found = verdict(interval)
        tone = {"higher": "worse", "lower": "better", "unclear": ""}[found]
        note = f"95 %: {numbers.span(interval)}; {_word(found, 'worse', 'better')}"
        tiles.append(tile(label, numbers.signed(interval.value), note, tone))
    return tiles


def _word(found: str, higher: str, lower: str) -> str:
    return {"higher": higher, "lower": lower, "unclear": "cannot tell"}[found]
