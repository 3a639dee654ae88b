"""The paper in the report: its claims, what it lets one expect, and its tables.

How a training comes out is chance too: the author's second pair of trainings gained half of the
printed Elo. So one training settles no claim.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.claims import BY_ELO, Side, by_no_gain, by_sign, judged
from phasezoo.experiments.statistics import Verdict, verdict
from phasezoo.experiments.two_player import published
from phasezoo.experiments.two_player.losses import CONSTANT, Entry
from phasezoo.experiments.two_player.matches import Matches, Results, VariantRow
from phasezoo.report import numbers
from phasezoo.report.document import (
    Claim,
    Column,
    Item,
    Judgement,
    Section,
    Table,
    Text,
    columns_by,
)

_ONE_TRAINING = "not settled by one training"

_MUCH_DATA = f"{numbers.percent(published.LITTLE_DATA, 0)} or more of the paper’s positions"

_BY_LOSS = (
    "agrees if the whole 95 % interval of the loss difference lies on the claim’s side of zero, "
    f"disagrees if it lies on the other side after {_MUCH_DATA}; {_ONE_TRAINING}"
)

_NOTHING_GAINED = 50.0
"""Elo below which an expert alone counts as no gain; the others of Fig. 6 gain more."""


def claims_of(results: Results) -> list[Claim]:
    """Return every claim that a run can judge: none of other games or phases than the paper's."""
    data = results.dataset
    if not published.has(results.config) or data.phases != list(published.PHASES):
        return []
    found = [*_own_phase(results), *_off_phase(results), *_mixture_losses(results)]
    found += [*_strength(results), *_weighted_gains_less(results), *_batches(results)]
    found += [*_gates(results), *_alone(results)]
    if results.config.trainings == 1:
        found = [replace(one, judgement="not settled") for one in found]
    return found


def data_share(results: Results) -> float:
    """Return the different positions the one network learned from, as a share of the paper's."""
    seen = [card.unique_positions for card in results.networks if card.role == "baseline"]
    return max(seen, default=0) / published.TRAIN_POSITIONS


def has_little_data(results: Results) -> bool:
    """Return whether the paper has losses, in place of gains, with so little to learn from."""
    return data_share(results) < published.LITTLE_DATA


def _experts(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Return the phase experts by phase."""
    return {one.phase: one for one in entries if one.phase is not None}


def _own_phase(results: Results) -> Iterator[Claim]:
    """Table XIV: each expert on its own phase beside one network."""
    strategy = results.config.strategy
    new, whole = map(_experts, (results.losses.entries, results.losses.everywhere))
    for row in published.TEST_LOSSES.get(strategy, ())[:-1]:
        phase = row.name.removesuffix(" expert")
        theirs, one = getattr(row, phase), getattr(published.ONE_NETWORK_LOSS, phase)
        yield _loss_claim(
            results, f"The {phase} expert of {strategy} learning", f"in the {phase}", theirs, one,
            new[phase].differences[phase]["total"],
            whole[phase].differences[phase]["total"] if whole else None,
        )  # fmt: skip


def _mixture_losses(results: Results) -> Iterator[Claim]:
    """Table XIV: each mixture on all test positions beside one network."""
    for strategy, variant in _by_strategy(results).items():
        rows = published.TEST_LOSSES.get(strategy, ())
        if rows:
            yield _loss_claim(
                results, f"The mixture of {strategy} learning", "over all test positions",
                rows[-1].all, published.ONE_NETWORK_LOSS.all, variant.loss,
            )  # fmt: skip


def _loss_claim(
    results: Results,
    who: str,
    where: str,
    theirs: float,
    one: float,
    ours: Interval | None,
    everywhere: Interval | None = None,
) -> Claim:
    side: Side = "lower" if theirs < one else "higher"
    known = f"; on all positions of the test games {numbers.signed_interval(everywhere, 4)}"
    return Claim(
        text=(
            f"{who} has a {side} loss {where} than one network: {theirs:.4f} against {one:.4f} "
            "(Table XIV)."
        ),
        ours=f"Total loss less one network’s: {numbers.signed_interval(ours, 4)}"
        f"{known if everywhere else ''}.",
        rule=_BY_LOSS,
        judgement=_tested(results, by_sign(ours, side)),
    )


def _off_phase(results: Results) -> Iterator[Claim]:
    """Table XIV: experts where they are not meant to be used."""
    if results.config.strategy != "separated":
        return
    gaps = {
        (phase, other): entry.differences[other]["total"]
        for phase, entry in _experts(results.losses.entries).items()
        for other in results.dataset.phases
        if other != phase
    }
    known = [gap for gap in gaps.values() if gap is not None]
    ours = ", ".join(
        f"{phase} expert in the {other} {numbers.signed(None if gap is None else gap.value)}"
        for (phase, other), gap in gaps.items()
    )
    yield Claim(
        text=(
            "A separated expert has a higher loss than one network in every phase but its own, "
            "such as 3.2433 against 1.3523 of the opening’s in the endgame (Table XIV)."
        ),
        ours=f"Total loss less one network’s: {ours}.",
        rule=(
            "agrees if all 95 % intervals of the differences lie above zero, disagrees if one lies "
            f"below; {_ONE_TRAINING}"
        ),
        judgement=judged(
            agrees=len(known) == len(gaps) and all(gap.low > 0 for gap in known),
            disagrees=any(gap.high < 0 for gap in known),
        ),
    )


def _by_strategy(results: Results) -> dict[str, VariantRow]:
    """Return the mixtures of the gate under study by how their experts learned."""
    main = results.variants[0]
    return {variant.strategy: variant for variant in results.variants if variant.gate == main.gate}


def _strength(results: Results) -> Iterator[Claim]:
    """Tables XV and IV: M2CTS beside MCTS with one network, with much and with little data."""
    for strategy, arm in _by_strategy(results).items():
        theirs = published.ELO_BY_STRATEGY.get(strategy)
        if theirs is not None and arm.matches is not None:
            gain = f"{numbers.elo_interval(theirs)} Elo on average (Table XV)"
            text = f"M2CTS with {strategy} experts beats MCTS with one network: {gain}."
            yield _gain(results, text, arm.matches)
    main = results.variants[0]
    if main.strategy == "separated" and main.matches is not None:
        half = ", ".join(numbers.signed(elo.value, 1) for elo in published.HALF_THE_DATA.values())
        found = by_sign(main.matches.elo, "lower")
        yield Claim(
            text=(
                f"With little data separated experts lose: {half} Elo with half of the training "
                "positions (Table IV)."
            ),
            ours=(
                f"{_elo_found(main.matches)} The one network learned from "
                f"{numbers.percent(data_share(results), 2)} of the paper’s positions."
            ),
            rule=f"{BY_ELO}; not settled after {_MUCH_DATA}; {_ONE_TRAINING}",
            judgement=found if has_little_data(results) else "not settled",
        )


def _gain(results: Results, text: str, matches: Matches) -> Claim:
    """Judge a gain that the paper has with all of its data."""
    rule = f"{BY_ELO} after {_MUCH_DATA}; {_ONE_TRAINING}"
    judgement = _tested(results, by_sign(matches.elo, "higher"))
    return Claim(text, _elo_found(matches), rule, judgement)


def _tested(results: Results, judgement: Judgement) -> Judgement:
    """The verdict on what the paper has with all of its data, of which too little is no test."""
    is_test = judgement != "disagrees" or not has_little_data(results)
    return judgement if is_test else "not settled"


def _weighted_gains_less(results: Results) -> Iterator[Claim]:
    """Table XV: separated and staged experts beside weighted ones."""
    played = {
        strategy: variant.matches
        for strategy, variant in _by_strategy(results).items()
        if variant.matches is not None and strategy in published.ELO_BY_STRATEGY
    }
    for strategy in ("separated", "staged"):
        for weighted in ("weighted:4", "weighted:10"):
            if strategy in played and weighted in played:
                more, less = (
                    numbers.elo_interval(published.ELO_BY_STRATEGY[one])
                    for one in (strategy, weighted)
                )
                yield _apart(
                    f"{strategy.capitalize()} experts gain more Elo than {weighted} ones: {more} "
                    f"against {less} (Table XV).",
                    {strategy: played[strategy], weighted: played[weighted]},
                )


def _gates(results: Results) -> Iterator[Claim]:
    """Fig. 7: phases of a game beside numbers of moves."""
    main = results.variants[0]
    if main.matches is None:
        return
    for variant in results.variants[1:]:
        is_by_moves = variant.gate.startswith("moves:") and variant.strategy == main.strategy
        if is_by_moves and variant.matches is not None:
            yield _apart(
                f"Lichess’ three phases are stronger than {variant.experts} phases by move number "
                "(Fig. 7).",
                {main.gate: main.matches, variant.gate: variant.matches},
            )


def _apart(text: str, played: Mapping[str, Matches]) -> Claim:
    """Judge whether the first of two gains is the larger one."""
    first, second = (matches.elo for matches in played.values())
    ours = ", ".join(f"{name} {numbers.elo_interval(m.elo)}" for name, m in played.items())
    return Claim(
        text,
        f"Elo over one network: {ours}.",
        "agrees if the first 95 % interval lies above the second, disagrees if it lies below; "
        f"{_ONE_TRAINING}",
        judged(agrees=first.low > second.high, disagrees=first.high < second.low),
    )


def _batches(results: Results) -> Iterator[Claim]:
    """Table XV: the gain by the batch of the search, whose majority chooses the expert."""
    if results.config.strategy != "separated":
        return
    for row in results.searches:
        changes = dict(part.partition("=")[::2] for part in row.name.split(","))
        theirs = published.ELO_SEPARATED.get(f"batch {changes.get('search-batch')}")
        routing = changes.get("routing", results.config.routing)
        if theirs is None or routing != "majority" or changes.keys() - {"search-batch", "routing"}:
            continue
        text = (
            f"The gain holds in batches of {changes['search-batch']} positions, of which the "
            f"majority chooses the expert: {numbers.elo_interval(theirs)} Elo (Table XV)."
        )
        yield _gain(results, text, row.matches)


def _alone(results: Results) -> Iterator[Claim]:
    """Fig. 6: one expert at a time."""
    if results.config.strategy != "separated":
        return
    for row in results.alone:
        theirs = published.ALONE[row.name]
        gain = f"about {numbers.signed(theirs, 0)} (Fig. 6)"
        if theirs > 0:
            text = f"The {row.name}’s expert alone gains Elo, {gain}."
            yield _gain(results, text, row.matches)
            continue
        yield Claim(
            f"The {row.name}’s expert alone gains nothing, {gain}.",
            _elo_found(row.matches),
            "agrees if the whole 95 % interval lies below "
            f"{numbers.signed(_NOTHING_GAINED, 0)} Elo, disagrees if it lies above zero; "
            f"{_ONE_TRAINING}",
            by_no_gain(row.matches.elo, _NOTHING_GAINED),
        )


def _elo_found(matches: Matches) -> str:
    return f"{numbers.elo_interval(matches.elo)} Elo in {numbers.count(matches.total.games)} games."


def claims_section(results: Results) -> Section:
    """Return the section on the paper's claims."""
    size = "less than half of" if has_little_data(results) else "half or more of"
    return Section(
        "The paper’s claims",
        [
            Text(
                f"{published.CITATION}. Verdicts follow the rule beside each claim and are of this "
                f"run’s size: its networks saw {size} the paper’s training positions."
            ),
            *claims_of(results),
        ],
    )


def expectation(results: Results) -> list[str]:
    """Return why the result is what the paper lets one expect at this size, or that it is not.

    Empty for a game that the paper does not have, and for experts that do not learn separated: the
    paper has their figures with all of its data alone.
    """
    if not published.has(results.config) or results.config.strategy != "separated":
        return []
    share = data_share(results)
    half = ", ".join(numbers.signed(elo.value, 1) for elo in published.HALF_THE_DATA.values())
    seen = f"{numbers.percent(share, 2 if share < _FEW_DATA else 0)} of the paper's"
    base = (
        f"The best-fed network of this run trained on {seen} "
        f"{numbers.count(published.TRAIN_POSITIONS)} different positions. Each expert gets only "
        "the positions of its own phase, about one in "
        f"{numbers.in_words(max(1, len(results.dataset.phases)))} of that, and has to learn from "
        "them also what all phases have in common: how the pieces move, what is attacked, what a "
        "piece is worth. One network learns that once, from everything."
    )
    table = (
        "The paper measured this price itself. With all of its data the experts won about "
        f"{numbers.signed(published.ELO_MEAN, 0)} Elo; with half of it, the same method "
        f"lost: {half} Elo for its three networks (Table IV)."
    )
    little = has_little_data(results)
    ending = (_LITTLE if little else _MUCH)[verdict(results.matches.elo)]
    return [base, table, ending]


_MUCH: dict[Verdict, str] = {
    "higher": "At this size a gain was to be expected, and a gain was found.",
    "lower": "At this size a gain was to be expected; this run found a loss instead.",
    "unclear": "At this size a gain was to be expected; this run neither shows nor excludes it.",
}
"""Conclusions of :func:`expectation` with as much data as the paper's gains were found with."""

_LITTLE: dict[Verdict, str] = {
    "lower": (
        "A loss at this size is therefore what the paper predicts. It speaks of too little data to "
        "divide, and says nothing of phase experts that have enough of it."
    ),
    "higher": (
        "A loss was therefore to be expected at this size, and this run found a gain. That "
        "deserves a repetition with more trainings before it is believed."
    ),
    "unclear": (
        "A loss was therefore to be expected at this size. This run is too small to show one, or "
        "there is none; more games and trainings would tell."
    ),
}
"""The same with less."""

_FEW_DATA = 0.05
"""Share of the paper's training positions below which a run is a small fraction of the paper's."""


def paper_section(results: Results) -> Section:
    """Return the section of the paper's tables, beside ours."""
    names = (*published.PHASES, "all")
    heads = (*published.PHASES, "all positions")

    def losses(name: str, rows: Sequence[tuple[str, Sequence[float | None]]], text: str) -> Table:
        columns = columns_by(
            range(len(heads)),
            lambda row, place: row[1][place],
            partial(numbers.decimal, digits=4),
            head=heads.__getitem__,
        )
        return Table(name, [Column("", 0), *columns], rows, text)

    theirs = [
        (f"{row.name}, {strategy}", [getattr(row, name) for name in names])
        for strategy, rows in published.TEST_LOSSES.items()
        for row in rows
    ]
    one = published.ONE_NETWORK_LOSS
    theirs.append((one.name, [getattr(one, name) for name in names]))
    tables: list[Item] = [
        losses("paper, losses", theirs, "Paper, Table XIV: total test loss"),
    ]
    if results.dataset.phases == list(published.PHASES):
        ours = [
            (entry.name, [entry.cells[column].total for column in results.losses.columns])
            for entry in results.losses.entries
            if entry.role not in ("placebo", CONSTANT)
        ]
        caption = "This run, the same table (other games and smaller networks: compare directions)"
        tables.append(losses("losses as the paper has them", ours, caption))
    elos = [(f"paper, search {batch}", elo) for batch, elo in published.ELO_SEPARATED.items()]
    elos += [
        (f"paper, mean, {strategy}" if strategy != "separated" else "paper, mean", found)
        for strategy, found in published.ELO_BY_STRATEGY.items()
    ]
    ours_elo = results.matches.total.elo_trinomial
    last = ("this run, from single games as the paper counts", ours_elo)
    strength = Table(
        "paper, Elo",
        [Column("", 0), Column("Elo ± 95 %", 1, partial(numbers.elo_interval, digits=2))],
        [*elos, last],
        "Paper, Table XV: Elo of M2CTS over MCTS with one network, separated learning where "
        "nothing else is said, 1000 games a match, mean over 100–3200 nodes and 100–1600 ms a move",
        strong=lambda row: row is last,
    )
    one_digit = partial(numbers.elo_interval, digits=1)
    data = Table(
        "paper, data",
        [
            Column("", str),
            Column("all data", published.ALL_DATA.get, one_digit),
            Column("half the data", published.HALF_THE_DATA.get, one_digit),
        ],
        list(published.ALL_DATA),
        "Paper, Table IV: the same with all and with half of the data, 800 nodes a move",
    )
    citation = Text(f"{published.CITATION}. All figures of this section are quoted from it.")
    return Section("Beside the paper", [citation, *tables, strength, data])
