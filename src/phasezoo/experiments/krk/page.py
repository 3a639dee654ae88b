"""The study's report: one HTML page for readers who know nothing of the code."""

from collections.abc import Sequence

from phasezoo.experiments.krk import drawings, story, study, tables
from phasezoo.experiments.krk.results import Figure, Results
from phasezoo.experiments.report import numbers, particulars
from phasezoo.experiments.report.html import (
    Html,
    code,
    details,
    document,
    element,
    figure,
    heading,
    items,
    join,
    paragraph,
    section,
    tile,
)

__all__ = ["render"]

_TITLES = {
    "claims": "The study’s claims",
    "figures": "Its figures, measured again",
    "searches": "All games",
    "terms": "Terms and limits",
    "again": "Doing it again",
}


def render(results: Results) -> str:
    """Return the report as one page that needs nothing from outside.

    Args:
        results: Everything a run found.

    Raises:
        MissingDependency: Matplotlib is not installed.
    """
    body = join(
        _top(results),
        section(
            "claims", _TITLES["claims"],
            paragraph(f"{study.CITATION}. Verdicts follow rules that stand beside each figure, not "
                      "the eye; “not settled” means that this many games do not tell."),
            tables.summary(story.claims_of(results)),
        ),
        section("figures", _TITLES["figures"], *_figures(results)),
        section(
            "searches", _TITLES["searches"], paragraph(story.variant_sentence(results)),
            tables.variants(results.variants),
            details("Every setting", tables.cells(results.cells)),
        ),
        _terms(results),
        _again(results),
    )  # fmt: skip
    return document(f"King and rook by UCT: {story.headline(results)}", body)


def _top(results: Results) -> Html:
    found = story.judgements(results)
    tones = {"agrees": "better", "disagrees": "worse", "not settled": ""}
    notes = {
        "agrees": "our intervals show the same",
        "disagrees": "our intervals show otherwise",
        "not settled": "too few games to tell",
    }
    tiles = [
        tile(f"Claims: {name}", str(number), notes[name], tones[name])
        for name, number in found.items()
    ]
    links = [element("a", title, href=f"#{anchor}") for anchor, title in _TITLES.items()]
    return join(
        paragraph(
            f"phasezoo · reproduce krk · preset {results.config.preset} · {results.date}",
            class_="kicker",
        ),
        element("h1", "How much should a search explore?"),
        paragraph(
            "A tree search that knows only the rules, and plays its simulations out to the end, "
            "mates with king and rook. How does the way it divides its simulations change how well "
            "it does?",
            class_="lead",
        ),
        element(
            "section",
            heading(story.headline(results), 2),
            paragraph(story.introduction(results)),
            element("div", *tiles, class_="tiles"),
            class_="answer",
        ),
        element("nav", *links, class_="contents", aria_label="Contents"),
    )


def _figures(results: Results) -> list[Html]:
    blocks: list[Html] = []
    number = 0
    for one in results.figures:
        drawn = _drawings(one, results)
        blocks.append(
            element("h3", f"Figure {one.number} of the study: {one.title}",
                    id=f"study-{one.number.replace('.', '-')}")
        )  # fmt: skip
        for drawing, caption in drawn:
            number += 1
            blocks.append(figure(drawing, caption, number))
        if len(one.choices) > 2:
            blocks.append(tables.choices(one.choices))
        blocks.append(tables.claims(one.claims))
        if one.panels:
            blocks.append(details("The numbers", *tables.values(one)))
    return blocks


def _drawings(one: Figure, results: Results) -> list[tuple[Html, str]]:
    bands = " Bands are 95 % intervals over games."
    if not one.panels:
        return [(drawings.lengths(results.cells), one.about)]
    drawn = [(drawings.curves(one), one.about + bands)]
    # A few distributions are drawn; for many a table is easier to read.
    if 0 < len(one.choices) <= 2:
        caption = "Where these curves are lowest, by resamples; the study’s value is shaded."
        name = f"choice-{one.number.replace('.', '-')}"
        drawn.append((drawings.choice_bars(one.choices, name), caption))
    return drawn


def _terms(results: Results) -> Html:
    config = results.config
    terms = (
        ("C", "The exploration constant: a child’s value is m / n + C · √(ln N / n)."),
        ("T", "A node visited more than T times selects a child; others start a rollout."),
        ("DTM", "Distance to mate, in White’s moves, when both sides play perfectly."),
        (
            "DTM difference",
            (
                "DTM after the move played less DTM after the best move: 0 is perfect. Moves that "
                "give the win away have none and are counted apart."
            ),
        ),
        ("Collapse", "Black’s reply was not in the tree, which is then thrown away."),
        (
            "95 % interval",
            (
                f"From {numbers.count(config.resamples)} draws of games with replacement within "
                "each setting; a curve’s point is the mean of its settings."
            ),
        ),
    )
    entries = [part for name, text in terms for part in (element("dt", name), element("dd", text))]
    blacks = "1 − m / n" if config.defender == "oppose" else "m / n, as White’s do"
    limits: Sequence[str] = [
        "One ending and one start with mate in 15, as in the study; the start need not be its own.",
        f"Inside the search, Black’s nodes maximise {blacks}; the other reading is an option.",
        (
            "Intervals count games, not implementations: details of the rollout policy that the "
            "study leaves open can move every number."
        ),
        (
            "Resampling adds chance to chance, which draws correlations and taus towards “not "
            "settled”. Where a curve is nearly flat, the distribution of its arg-min says less "
            "than it seems to; verdicts on the best C and T therefore rest on differences."
        ),
        (
            f"Few games a setting ({config.games}, and {config.other_games} for the other "
            "searches) make intervals of single settings rough; whole curves rest on many more."
        ),
    ]
    return section(
        "terms", _TITLES["terms"], element("dl", *entries), heading("Limits"), items(limits)
    )


def _again(results: Results) -> Html:
    return section(
        "again",
        _TITLES["again"],
        paragraph("This command does the same again; the directory of this page holds all of it:"),
        element("pre", code(results.command)),
        paragraph(
            "Beside this page: every game (games.jsonl), all numbers (results.json), the settings "
            "(config.json) and versions."
        ),
        particulars.seconds(results.seconds),
        details("Settings", particulars.settings(results.config)),
        details("Versions and machine", particulars.environment(results.provenance)),
    )
