"""Games in the report but for those of the match: other mixtures, searches and learned gates."""

from collections.abc import Sequence
from typing import Any

from phasezoo.experiments.statistics import verdict
from phasezoo.experiments.two_player import published
from phasezoo.experiments.two_player.losses import ALL, Division
from phasezoo.experiments.two_player.matches import (
    LearnedGates,
    Results,
    Series,
    VariantRow,
)
from phasezoo.experiments.two_player.report_losses import bullets, test_set
from phasezoo.report import numbers, plots
from phasezoo.report.document import Column, Figure, Item, Section, Table, Text, columns_by
from phasezoo.report.plots import Estimate

BESIDE = {"higher": "stronger than", "lower": "weaker than", "unclear": "not told apart from"}
"""A player beside one network, by the verdict of their Elo difference."""


def _games_table(
    name: str,
    rows: Sequence[Any],
    before: Sequence[Column],
    caption: str,
    note: str = "",
    after: Sequence[Column] = (),
) -> Table:
    """Return the games of several rows against one network, between other columns."""
    columns = [
        Column("won", lambda row: row.matches.total.wins, numbers.count),
        Column("drawn", lambda row: row.matches.total.draws, numbers.count),
        Column("lost", lambda row: row.matches.total.losses, numbers.count),
        Column("Elo over one network", lambda row: row.matches.elo, numbers.elo_interval),
    ]
    return Table(name, [*before, *columns, *after], rows, caption, note=note)


def learned_section(found: LearnedGates) -> Section:
    """Return the section on gates that learned to choose among the phase mixture's experts."""
    positions = numbers.plural(found.gates[0].positions, "validation position")
    match = _games_table(
        "learned gates, games",
        [found],
        [Column("", lambda _: "by learned gates")],
        "Games of the search with learned gates against one network, with a 95 % interval",
    )
    return Section(
        "What came out: learned gates",
        [
            Text(
                "The experts of the phase mixture once more, with another gate in the search: a "
                f"small network for each training, which learned on {positions} to choose the "
                "expert that loses least there. The experts themselves are the same."
            ),
            learned_table(found.division),
            match,
            bullets(_learned_sentences(found)),
        ],
    )


def learned_table(division: Division) -> Table:
    """Return which experts learned gates choose, and what is lost by them."""
    phases = [name for name in division.shares if name != ALL]
    columns = [
        Column("positions of", test_set),
        *columns_by(
            range(len(phases)),
            lambda row, place: division.shares[row][place],
            numbers.percent,
            head=lambda place: f"expert of {phases[place]}",
        ),
        Column("total loss − one network", division.beside_one.get, numbers.signed_interval),
        Column("total loss − own gate", division.beside_mixture.get, numbers.signed_interval),
    ]
    caption = (
        "Which expert learned gates choose for test positions of each phase, and what is lost by "
        f"them, with 95 % intervals: {numbers.count(division.positions)} positions that occur in "
        "no training or validation game. Own gate: the same experts by the gate that they learned "
        "under."
    )
    rows = list(division.shares)
    return Table("learned gates", columns, rows, caption, strong=lambda row: row == ALL)


def _learned_sentences(found: LearnedGates) -> list[str]:
    """Return whether experts chosen by learned gates lose less and win more than by their own."""
    loss, elo = found.division.beside_mixture[ALL], found.matches.elo
    sentences = []
    if loss is not None:
        words = {
            "lower": "The learned gates choose better",
            "higher": "The learned gates choose worse",
            "unclear": "The learned gates are not told apart",
        }
        rest = "from" if verdict(loss) == "unclear" else "than"
        sentences.append(
            f"{words[verdict(loss)]} {rest} the gate that the experts learned under, by total test "
            f"loss: {numbers.signed_interval(loss)}."
        )
    sentences.append(
        f"The search with them was {BESIDE[verdict(elo)]} one network: "
        f"{numbers.elo_interval(elo)} Elo."
    )
    return sentences


def variants_table(variants: Sequence[VariantRow]) -> Table:
    """Return every mixture beside one network."""
    columns = [
        Column("", "name"),
        Column("gate", "gate"),
        Column("learning", "strategy"),
        Column("experts", "experts"),
        Column("positions seen", "positions", numbers.count),
        Column("total loss − one network", "loss", numbers.signed_interval),
        Column(
            "Elo over one network",
            lambda variant: None if variant.matches is None else variant.matches.elo,
            numbers.elo_interval,
        ),
    ]
    caption = (
        "Every mixture beside the one network, with 95 % intervals. Positions seen: by its experts "
        "and what they began from; where the one network answers too, its own come on top. Loss: "
        "over all test positions; less is better."
    )
    return Table("mixtures", columns, variants, caption)


def _variant_sentences(variants: Sequence[VariantRow]) -> list[Item]:
    sentences = [
        f"The {variant.name} (gate {variant.gate}, {variant.strategy} learning) was "
        f"{BESIDE[verdict(variant.matches.elo)]} one network: "
        f"{numbers.elo_interval(variant.matches.elo)} Elo."
        for variant in variants[1:]
        if variant.matches is not None
    ]
    return [Text("\n\n".join(sentences))] if sentences else []


def _paired(variants: Sequence[VariantRow]) -> list[Item]:
    """Return every mixture that plays beside the first one, if there are trainings enough."""
    first, *others = [variant for variant in variants if variant.matches is not None]
    if first.matches is None or first.matches.trainings < 3:
        return []

    columns = [
        Column("", "name"),
        Column("Elo over one network", lambda row: row.matches.apart(), numbers.elo_interval),
        Column(
            f"Elo over the {first.name}",
            lambda row: None if row is first else row.matches.apart(first.matches),
            numbers.elo_interval,
        ),
    ]
    caption = (
        "Games between different trainings alone, with 95 % intervals over trainings. Differences "
        "are taken pairing by pairing: all mixtures met the same networks from the same openings."
    )
    return [Table("paired", columns, [first, *others], caption)]


def alone_table(rows: Sequence[Series]) -> Table:
    """Return every expert beside the one network of its training."""
    return _games_table(
        "alone",
        rows,
        [Column("expert of", "name")],
        "Search with the expert of one phase; in the other phases the one network of its training "
        "answers. With 95 % intervals.",
    )


def _alone(results: Results) -> list[Item]:
    if not results.alone:
        return []
    items: list[Item] = [alone_table(results.alone)]
    if published.has(results.config):
        items.append(
            Text(
                "In the paper (Fig. 6) the opening’s expert alone gains nothing, those of the "
                "middlegame and the endgame each do."
            )
        )
    return [Section("One expert at a time", items)]


def phase_suites_table(rows: Sequence[Series]) -> Table:
    """Return every expert against one network, from where its phase begins."""
    late = " ".join(
        f"{row.name.capitalize()}: {numbers.count(row.too_late)} more positions are left out, "
        "because games are cut at or before their ply."
        for row in rows
        if row.too_late
    )
    return _games_table(
        "from phases",
        rows,
        [Column("expert of", "name"), Column("positions", "starts", numbers.count)],
        "Games that begin where test games first reach a phase, at positions that were not trained "
        "on, each played with both sides. The expert of that phase answers everywhere. With 95 % "
        "intervals.",
        late,
    )


def _phase_suites(rows: Sequence[Series]) -> list[Item]:
    if not rows:
        return []
    return [Section("From the beginning of each phase", [phase_suites_table(rows)])]


def searches_table(rows: Sequence[Series]) -> Table:
    """Return the phase mixture against one network by other searches."""
    return _games_table(
        "searches",
        rows,
        [Column("both players search with", "name", below=lambda row: row.matches.limit)],
        "The same networks and openings with another search, with 95 % intervals. Rows a call: the "
        "experts’, then one network’s.",
        after=[
            Column(
                "rows a call",
                lambda row: row.matches.total.sides[0].mean_rows,
                lambda rows: numbers.decimal(rows, 1),
                below=lambda row: numbers.decimal(row.matches.total.sides[1].mean_rows, 1),
            )
        ],
    )


def other_games(results: Results) -> list[Item]:
    """Return the sections on all games but those of the match."""
    return [
        Section(
            "All mixtures",
            [
                variants_table(results.variants),
                *_variant_sentences(results.variants),
                *_paired(results.variants),
            ],
        ),
        *_alone(results),
        *_phase_suites(results.from_phases),
        *_searches(results),
    ]


def _searches(results: Results) -> list[Item]:
    if not results.searches:
        return []
    items: list[Item] = [searches_table(results.searches), _searches_figure(results)]
    if any(row.name == "recalibrated" for row in results.searches):
        items.append(
            Text(
                "With recalibrated values both sides’ networks answer values that were mapped by "
                "validation games, the one network’s by a map for each phase too: what is left of "
                "a difference is not one of scale."
            )
        )
    return [Section("Other searches", items)]


def _searches_figure(results: Results) -> Figure:
    """Show the Elo difference by every search, under what differs from the match's."""
    main = results.matches
    first = Estimate(f"the match: {main.limit}", main.elo, plots.PHASE, strong=True)
    groups = [("this run", [first])]
    for row in results.searches:
        heading = ", ".join(part.partition("=")[0] for part in row.name.split(","))
        if groups[-1][0] != heading:
            groups.append((heading, []))
        groups[-1][1].append(Estimate(row.name, row.matches.elo, plots.PHASE))
    caption = (
        "The difference in strength by search, with 95 % intervals. Openings and networks are the "
        "same ones in every row, so that rows differ by less chance than their intervals show."
    )
    return elo_comparison("searches", groups, caption)


def elo_comparison(
    name: str, groups: Sequence[tuple[str, Sequence[Estimate]]], caption: str
) -> Figure:
    """Return Elo differences of mixtures as a figure."""
    label = "Elo difference, M2CTS over MCTS with one network"
    hints = ("← one network", "experts →")
    return plots.comparison(name, groups, label, 0, caption, hints=hints)
