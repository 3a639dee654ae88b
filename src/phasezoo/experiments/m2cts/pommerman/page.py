"""The study's report: one HTML page for readers who know nothing of the code."""

from phasezoo.experiments.m2cts.pommerman import story, study, tables
from phasezoo.experiments.m2cts.pommerman.results import Results
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
    "games": "The games",
    "claims": "The paper’s claims",
    "references": "Beside the published search study",
    "networks": "What was learnt",
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
    compared = [r for r in results.records if r.kind in ("one", "gate", "placebo")]
    others = [r for r in results.records if r not in compared]
    body = join(
        _top(results),
        section(
            "games", _TITLES["games"],
            figure(
                tables.differences(compared),
                "Win rates of the mixtures less one network’s, on the same boards and in the same "
                f"seats. {_intervals(results)}",
                1,
            ),
            tables.win_rates(compared, story.title(results.config)),
        ),
        section(
            "claims", _TITLES["claims"],
            paragraph(f"{study.CITATION}. Its third gate, by the number of opponents left, it "
                      "calls unstable; the spread between trainings stands in the table above."),
            tables.claims(results.claims),
        ),
        _references(results, others),
        section(
            "networks", _TITLES["networks"], tables.data(results.dataset),
            tables.losses(results.losses, results.dataset),
            details("Every network", tables.networks(results.networks)),
        ),
        _terms(results),
        _again(results),
    )  # fmt: skip
    return document(f"Phase experts in Pommerman: {story.headline(results)}", body)


def _intervals(results: Results) -> str:
    if results.config.trainings > 1:
        return "Bars are 95 % intervals that count trainings first and boards second."
    return "Bars are 95 % intervals over boards; with one training they say nothing of the method."


def _top(results: Results) -> Html:
    tones = {"agrees": "better", "disagrees": "worse", "not settled": ""}
    gains = {r.name: r.difference for r in results.records if r.kind == "gate"}
    tiles = [
        tile(
            f"Experts by {name}",
            "not measured" if gap is None else f"{numbers.signed(100 * gap.value, 1)} points",
            f"{story.points(gap)} against one network",
            "" if gap is None else "better" if gap.low > 0 else "worse" if gap.high < 0 else "",
        )
        for name, gap in gains.items()
    ]
    verdicts = [claim.judgement for claim in results.claims]
    told = ", ".join(f"{verdicts.count(word)} {word}" for word in tones)  # type: ignore[arg-type]
    links = [element("a", title, href=f"#{anchor}") for anchor, title in _TITLES.items()]
    return join(
        paragraph(
            f"phasezoo · reproduce m2cts --game pommerman · preset {results.config.preset} · "
            f"{results.date}",
            class_="kicker",
        ),
        element("h1", "One network per phase of the fight, or one for all?"),
        paragraph(
            "Pommerman begins with walls to break and ends face to face. Does a search win more "
            "games when it has one small network for each phase than with one for everything?",
            class_="lead",
        ),
        element(
            "section",
            heading(story.headline(results), 2),
            paragraph(story.introduction(results)),
            element("div", *tiles, class_="tiles"),
            paragraph(f"Of the paper’s claims: {told}.", class_="muted"),
            class_="answer",
        ),
        element("nav", *links, class_="contents", aria_label="Contents"),
    )


def _references(results: Results, others: list) -> Html:  # type: ignore[type-arg]
    low, high = study.ORIGINAL_ENVIRONMENT
    text = (
        "The published search study played the 64-channel network against three "
        "SimpleUnbiasedAgents in a simulator of its own, whose boards, explosions and agents "
        "differ from the original’s; its figures stand here as a reference, not as a mark. In the "
        "original environment, against three of its SimpleAgents and with the true state, that "
        f"network won {numbers.percent(low, 0)} to {numbers.percent(high, 0)} of 100 games a row "
        "at 1,000 simulations: that is the game played here."
    )
    if not others:
        none = "This run has no references: --references adds them."
        return section("references", _TITLES["references"], paragraph(text), paragraph(none))
    return section("references", _TITLES["references"], paragraph(text), tables.references(others))


def _terms(results: Results) -> Html:
    terms = (
        ("Won", "The contender alone was left. Wilson’s 95 % interval over games."),
        ("Drawn", "Nobody won: time ran out after 800 steps, or the last ones died together."),
        (
            "Single-player search",
            "The tree holds one’s own actions alone; an agent of theirs moves the others.",
        ),
        (
            "Placebo",
            (
                "Experts for parts of the positions that a hash divides: as many networks on as "
                "thin data, without a specialty."
            ),
        ),
        (
            "Difference",
            (
                "Of win rates on the same boards and seats, against opponents with the same random "
                f"numbers; {numbers.count(results.config.resamples)} draws of boards with "
                "replacement, and Student’s t over trainings where there are several."
            ),
        ),
    )
    entries = [part for name, text in terms for part in (element("dt", name), element("dd", text))]
    limits = (
        (
            "The agent that makes the training games and moves the others in the search follows "
            "the published one’s rules as far as they are known; its details are our own."
        ),
        "Heads and optimiser are this project’s: win, draw and loss in place of a tanh value.",
        "All networks of a training start from the same weights and see as many positions.",
    )
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
            "Beside this page: every game (games.jsonl), the networks (networks/), all numbers "
            "(results.json), the settings (config.json) and versions."
        ),
        particulars.seconds(results.seconds),
        details("Settings", particulars.settings(results.config)),
        details("Versions and machine", particulars.environment(results.provenance)),
    )
