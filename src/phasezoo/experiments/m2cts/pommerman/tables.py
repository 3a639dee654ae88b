"""The report's tables and its drawing."""

from collections.abc import Sequence

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.pommerman import story
from phasezoo.experiments.m2cts.pommerman.results import Claim, Dataset, LossRow, Record
from phasezoo.experiments.report import numbers, plots
from phasezoo.experiments.report.html import Html, element, table

__all__ = ["claims", "data", "differences", "losses", "networks", "references", "win_rates"]

_TONES = {"agrees": "better", "disagrees": "worse", "not settled": ""}


def win_rates(records: Sequence[Record], caption: str) -> Html:
    """Games won and drawn by every contender of the comparison."""
    head = ("", "games", "won", "drawn", "of these timed out", "steps", "won, by training",
            "less one network", "less the placebo")  # fmt: skip
    rows = [
        (
            story.label(r),
            numbers.count(r.games),
            _estimate(r.win_rate),
            numbers.percent(r.drawn / r.games),
            numbers.count(r.timed_out),
            numbers.decimal(r.steps, 0),
            story.spread(r),
            story.points(r.difference),
            story.points(r.to_placebo),
        )
        for r in records
    ]
    return table(head, rows, caption)


def differences(records: Sequence[Record]) -> Html:
    """Win rates less one network's, drawn."""
    groups = [
        ("Experts by phase", [_row(r, plots.PHASE) for r in records if r.kind == "gate"]),
        ("Placebo", [_row(r, plots.PLACEBO) for r in records if r.kind == "placebo"]),
        (
            "The paper",
            [
                plots.Estimate(
                    "steps and mixedness", Interval(8.0, 5.0, 11.0), plots.PAPER, "+5 to +11"
                )
            ],
        ),
    ]
    hints = ("one network wins more", "experts win more")
    figure = plots.forest(groups, "win rate less one network’s, percentage points", 1, hints=hints)
    return plots.to_svg(figure, "differences", "Differences of win rates with 95 % intervals")


def references(records: Sequence[Record]) -> Html:
    """Contenders beside the published search study."""
    head = ("", "simulations", "games", "won", "drawn", "steps", "published, other rules")
    rows = [
        (
            r.name,
            numbers.count(r.simulations),
            numbers.count(r.games),
            _estimate(r.win_rate),
            numbers.percent(r.drawn / r.games),
            numbers.decimal(r.steps, 0),
            story.published(r.simulations),
        )
        for r in records
    ]
    return table(head, rows)


def losses(found: Sequence[LossRow], dataset: Dataset) -> Html:
    """Losses on positions of episodes that no network has learnt from."""
    head = ("", "policy loss", "value loss", "accuracy", "total loss less one network’s")
    rows = [
        (
            row.name,
            numbers.decimal(row.policy),
            numbers.decimal(row.value),
            numbers.percent(row.accuracy),
            numbers.signed_interval(row.difference, 4),
        )
        for row in found
    ]
    caption = (
        f"{numbers.count(dataset.positions[2])} test positions; the commonest action alone would "
        f"be right in {numbers.percent(dataset.majority)}"
    )
    return table(head, rows, caption)


def networks(cards: Sequence[NetworkCard]) -> Html:
    """What each network got."""
    head = ("", "network", "parameters", "positions", "unique", "epochs", "updates", "validation",
            "time")  # fmt: skip
    rows = [
        (
            card.name,
            card.architecture,
            numbers.count(card.parameters),
            numbers.count(card.positions),
            numbers.count(card.unique_positions),
            numbers.decimal(card.epochs, 2),
            numbers.count(card.updates),
            numbers.decimal(card.best_validation),
            numbers.duration(card.seconds),
        )
        for card in cards
    ]
    return table(head, rows, "Every parameter of a network is active for every position it answers")


def data(dataset: Dataset) -> Html:
    """The phases of the training positions."""
    rows = [
        (phases.gate, element("td", story.shares(phases), class_="text"))
        for phases in dataset.phases
    ]
    won, nobody, lost = (numbers.percent(n / sum(dataset.values)) for n in dataset.values)
    caption = (
        f"{numbers.count(dataset.positions[0])} training positions of "
        f"{numbers.count(dataset.episodes[0])} episodes: {won} of players who won, {lost} of "
        f"players who lost or died, {nobody} where nobody won"
    )
    return table(("gate", "phases"), rows, caption, class_="prose")


def claims(found: Sequence[Claim]) -> Html:
    """The paper's claims with what we found and the rule."""
    rows = [
        (
            str(place),
            element("td", claim.text, class_="text"),
            element("td", claim.ours, element("small", claim.rule), class_="text"),
            element(
                "td", claim.judgement, class_=_TONES[claim.judgement], style="--strength: 0.25"
            ),
        )
        for place, claim in enumerate(found, start=1)
    ]
    return table(("", "the paper says", "ours, and the rule", "verdict"), rows, class_="prose")


def _row(record: Record, colour: str) -> plots.Estimate:
    gap = record.difference
    scaled = None if gap is None else Interval(100 * gap.value, 100 * gap.low, 100 * gap.high)
    return plots.Estimate(record.name, scaled, colour, strong=True)


def _estimate(interval: Interval) -> Html:
    ends = f"{numbers.percent(interval.low)} to {numbers.percent(interval.high)}"
    return element("td", numbers.percent(interval.value), element("small", ends))
