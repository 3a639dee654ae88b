"""The report's last sections: certainty, the paper's figures, terms, how to repeat it."""

from phasezoo.experiments.m2cts.duel import paper, story, tables
from phasezoo.experiments.m2cts.duel.results import Results
from phasezoo.experiments.m2cts.duel.titles import TITLES
from phasezoo.experiments.report import particulars
from phasezoo.experiments.report.html import (
    Html,
    code,
    details,
    element,
    heading,
    items,
    paragraph,
    section,
)

__all__ = ["again", "certainty", "published", "terms"]


def certainty(results: Results) -> Html:
    """How far the result carries, and what was to be expected."""
    return section(
        "sure",
        TITLES["sure"],
        items(story.certainty(results)),
        heading("What was to be expected at this size"),
        *(paragraph(text) for text in story.expectation(results)),
    )


def published(results: Results) -> Html:
    """What the paper printed."""
    return section(
        "paper",
        TITLES["paper"],
        paragraph(f"{paper.CITATION}. All figures of this section are quoted from it."),
        *tables.paper_losses(results),
        tables.paper_elo(results),
        tables.paper_data(),
    )


def terms(results: Results) -> Html:
    """Words an outsider may miss, and what this run does not say."""
    terms = (
        ("Elo", "A scale of playing strength: +100 means winning 64 % of the points."),
        (
            "95 % interval",
            (
                "The range that, over many repetitions, holds the true figure 95 times in 100. "
                "If it holds zero, better and worse are both possible."
            ),
        ),
        (
            "Pair scores",
            (
                "Both games of an opening are one observation. Elo and its interval come from "
                "them (pentanomial); the figure from single games (trinomial) stands only beside "
                "the paper’s."
            ),
        ),
        (
            "LOS",
            "Likelihood of superiority: the chance that the side is the stronger, by games alone.",
        ),
        (
            "Node",
            "A position newly put to a network. Positions from earlier moves’ trees are free.",
        ),
        (
            "Routing",
            "exact: each position goes to its phase’s expert. majority: one for a whole batch.",
        ),
        ("Epoch", "One pass over the training positions that a network may see."),
    )
    entries = [part for name, text in terms for part in (element("dt", name), element("dd", text))]
    limits = [
        (
            f"One gate ({results.dataset.gate}), one architecture ({results.config.network}) and "
            f"one limit ({results.matches.limit}); the paper varies all three."
        ),
        (
            "Separated learning only: each expert is trained from the common start on its phase "
            "alone. The paper’s staged and weighted learning share more between experts."
        ),
        f"The games come from {results.dataset.source}; other games have other phases.",
        (
            "The experts together take more memory than one network, and a batch is divided "
            "among them."
        ),
    ]
    return section(
        "terms", TITLES["terms"], element("dl", *entries), heading("Limits"), items(limits)
    )


def again(results: Results) -> Html:
    """Command, settings, versions."""
    games = {"games, SHA-256": results.dataset.sha256}
    return section(
        "again",
        TITLES["again"],
        paragraph("This command does the same again; the directory of this page holds all of it:"),
        element("pre", code(results.command)),
        paragraph(
            "Beside this page: the settings (config.json), seeds, versions, every network with "
            "its training log, all losses (losses.csv) and all games (games.pgn).",
        ),
        particulars.seconds(results.seconds),
        details("Settings", particulars.settings(results.config)),
        details("Seeds", particulars.plain(("stream", "seed"), results.seeds.items())),
        details("Versions and machine", particulars.environment(results.provenance, **games)),
    )
