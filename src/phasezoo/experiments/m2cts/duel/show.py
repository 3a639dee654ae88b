"""The run's tables on the console."""

from collections.abc import Sequence

from phasezoo.arena.elo import los_unsaid
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.duel import story
from phasezoo.experiments.m2cts.duel.arms import mixtures
from phasezoo.experiments.m2cts.duel.cost.results import Cost
from phasezoo.experiments.m2cts.duel.results import (
    ALL,
    AloneRow,
    ArmRow,
    Dataset,
    Exact,
    LearnedGates,
    Losses,
    Matches,
    Overfitting,
    PhaseSuiteRow,
    Results,
    SearchRow,
)
from phasezoo.experiments.m2cts.duel.seam.results import Seam
from phasezoo.report import numbers
from phasezoo.report.console import Console

__all__ = [
    "show_arms",
    "show_cost",
    "show_dataset",
    "show_exact",
    "show_learned",
    "show_losses",
    "show_match",
    "show_networks",
    "show_overfitting",
    "show_seam",
    "show_searches",
    "show_verdict",
]


def show_dataset(console: Console, dataset: Dataset) -> None:
    """Games and positions per phase and split."""
    head = ["", "games", "positions", *dataset.phases, "in train too"]
    rows = [
        [
            split.name,
            numbers.count(split.games),
            numbers.count(sum(split.positions)),
            *map(numbers.count, split.positions),
            numbers.count(sum(split.removed)) if sum(split.removed) else numbers.ABSENT,
        ]
        for split in dataset.splits
    ]
    console.table(f"Games and positions, gate {dataset.gate}", head, rows)
    console.note(f"Games: {dataset.source}.")
    if dataset.openings_dropped:
        console.note(
            f"{dataset.openings_dropped} openings dropped, because their last position occurs in "
            f"these games; {dataset.openings} are left."
        )


def show_networks(console: Console, cards: Sequence[NetworkCard]) -> None:
    """What each network got, and what each mixture amounts to."""
    head = ["", "parameters", "active", "positions", "unique", "epochs", "updates", "validation",
            "time"]  # fmt: skip
    rows = [
        [
            card.name,
            numbers.count(card.parameters),
            numbers.count(card.parameters),
            numbers.count(card.positions),
            numbers.count(card.unique_positions),
            numbers.decimal(card.epochs, 2),
            numbers.count(card.updates),
            numbers.decimal(card.best_validation),
            numbers.duration(card.seconds),
        ]
        for card in cards
    ]
    for training in sorted({card.training for card in cards}):
        own = [card for card in cards if card.training == training]
        for name, group in mixtures(own).items():
            rows.append(_mixture(f"{name} {training + 1}", group))
    console.table("What each network got (active: parameters per position)", head, rows)


def _mixture(name: str, group: Sequence[NetworkCard]) -> list[str]:
    def total(field: str) -> float:
        return float(sum(getattr(card, field) for card in group))

    return [
        name,
        numbers.count(total("parameters")),
        numbers.count(max(card.parameters for card in group)),
        numbers.count(total("positions")),
        numbers.count(total("unique_positions")),
        "",
        numbers.count(total("updates")),
        "",
        numbers.duration(total("seconds")),
    ]


def show_losses(console: Console, losses: Losses) -> None:
    """The loss matrix and the three comparisons."""
    names = ["all positions" if c == ALL else c for c in losses.columns]
    for metric, title in (
        ("total", "Total loss"),
        ("policy", "Policy loss"),
        ("value", "Value loss"),
        ("accuracy", "Policy accuracy"),
    ):
        rows = []
        for entry in losses.entries:
            values = [getattr(entry.cells[c], metric) for c in losses.columns]
            shown = map(numbers.percent if metric == "accuracy" else numbers.decimal, values)
            rows.append([entry.name, *shown])
        console.table(f"{title} on test positions of", ["", *names], rows)
    labels = {
        "thinning": "placebo − one network (thinner data)",
        "specialisation": "phases − placebo (specialisation)",
        "both": "phases − one network (both)",
    }
    rows = [
        [
            labels[c.name],
            *(numbers.signed_interval(c.differences[column].total) for column in losses.columns),
        ]
        for c in losses.comparisons
    ]
    console.table("Differences of total loss, 95 % intervals", ["", *names], rows)


def show_match(console: Console, matches: Matches) -> None:
    """The result, and what each side asked of its networks."""
    total = matches.total
    console.note(
        f"M2CTS against MCTS, {total.games} games, {matches.limit}: +{total.wins} ={total.draws} "
        f"−{total.losses}"
    )
    unsaid = los_unsaid(total.pentanomial)
    chance = numbers.chance(total.los) if unsaid is None else f"{numbers.ABSENT} ({unsaid})"
    console.note(
        f"Elo {numbers.elo_interval(matches.elo_games_only)} (95 %, games only), LOS {chance}"
    )
    spread = matches.spread
    if spread is not None:
        console.note(
            f"Elo {numbers.elo_interval(spread.elo)} (95 %, for new trainings); between "
            f"trainings: mixtures {numbers.decimal(spread.first_sd, 0)}, baselines "
            f"{numbers.decimal(spread.second_sd, 0)}; games of one pairing: "
            f"{numbers.decimal(spread.games_sd, 0)}"
        )
    rows = [
        [
            side.name,
            numbers.count(side.rows),
            numbers.count(side.calls),
            numbers.decimal(side.mean_rows, 1),
            numbers.count(side.off_phase_rows),
            numbers.duration(side.seconds),
        ]
        for side in total.sides
    ]
    head = ["", "rows", "calls", "rows a call", "rows of another phase", "time"]
    console.table("Inference", head, rows)


def show_overfitting(console: Console, found: Overfitting) -> None:
    """Losses on positions learnt from and on new ones."""
    rows = [
        [
            f"{row.name} on {row.phase}" if row.beside is None else row.name,
            numbers.count(row.unique_positions),
            numbers.decimal(row.learnt),
            numbers.decimal(row.new),
            numbers.signed_interval(row.gap),
            numbers.signed_interval(row.beside),
        ]
        for row in found.rows
    ]
    head = ["", "learnt from", "loss on those", "on new ones", "gap", "gap − one network's"]
    console.table("Total loss on positions learnt from and on new ones, 95 %", head, rows)


def show_seam(console: Console, seam: Seam) -> None:
    """Neighbouring experts' values near boundaries, and Brier scores."""
    rows = [
        [
            row.name,
            numbers.count(row.positions),
            *(
                numbers.plain_interval(row.numbers[name], 3)
                for name in ("apart", "apart, placebo", "step, one network", "apart by step")
            ),
        ]
        for row in seam.rows
    ]
    head = ["", "positions", "experts apart", "placebo's apart", "one network's step", "ratio"]
    console.table(f"Values within {seam.near} plies of a boundary, 95 % intervals", head, rows)
    columns = list(seam.brier[0].cells)
    rows = [
        [
            row.name + (", recalibrated" if row.recalibrated else ""),
            *(
                numbers.decimal(cell.score.value if cell.score else None, 4)
                for cell in row.cells.values()
            ),
        ]
        for row in seam.brier
    ]
    names = ["all positions" if c == ALL else c for c in columns]
    console.table("Brier score of the value on test positions of", ["", *names], rows)


def show_cost(console: Console, cost: Cost) -> None:
    """Memory of every mixture, and the time of a call."""
    rows = [
        [
            size.name,
            numbers.count(size.networks),
            numbers.count(size.parameters),
            numbers.count(size.active),
            f"{size.weights / 2**20:.2f} MiB",
        ]
        for size in cost.sizes
    ]
    head = ["", "networks", "parameters", "active", "weights"]
    console.table("What networks weigh", head, rows)
    rows = [
        [
            one.name if one.routing is None else f"{one.name}, {one.routing}",
            numbers.count(one.batch),
            numbers.count(one.calls),
            numbers.plain_interval(one.milliseconds, 2),
            numbers.plain_interval(one.ratio, 2),
        ]
        for one in cost.calls
    ]
    rows += [
        [
            "learned gate",
            numbers.count(one.batch),
            numbers.ABSENT,
            numbers.plain_interval(one.milliseconds, 2),
            numbers.plain_interval(one.ratio, 2),
        ]
        for one in cost.gate
    ]
    head = ["", "positions", "networks asked", "ms a call", "beside one network"]
    console.table(f"Time of a call, {cost.clock}", head, rows)


def show_exact(console: Console, exact: Exact) -> None:
    """Regret and its kin of every mixture."""
    metrics = list(exact.rows[0].numbers)
    rows = [
        [row.name, *(numbers.decimal(row.numbers[metric][ALL], 4) for metric in metrics)]
        for row in exact.rows
    ]
    which = f"all {exact.positions:,} positions {exact.kind}"
    if exact.kind is None:
        which = f"a sample of {exact.positions:,} positions"
    console.table(f"Moves by perfect play, {which}", ["", *metrics], rows)


def show_arms(console: Console, arms: Sequence[ArmRow], alone: Sequence[AloneRow]) -> None:
    """Every mixture beside one network, and every expert alone."""
    rows = [
        [
            arm.name,
            arm.gate,
            arm.strategy,
            numbers.count(arm.positions),
            numbers.signed_interval(arm.loss),
            numbers.ABSENT if arm.matches is None else numbers.elo_interval(arm.matches.elo),
        ]
        for arm in arms
    ]
    head = ["", "gate", "learning", "positions", "total loss − one network", "Elo"]
    console.table("Mixtures beside one network, 95 % intervals", head, rows)
    if alone:
        rows = [[row.phase, numbers.elo_interval(row.matches.elo)] for row in alone]
        console.table("One expert at a time, 95 % intervals", ["expert of", "Elo"], rows)


def show_phase_suites(console: Console, found: Sequence[PhaseSuiteRow]) -> None:
    """Every expert against one network in games that begin with its phase."""
    if found:
        rows = [
            [row.phase, numbers.count(row.starts), numbers.elo_interval(row.matches.elo)]
            for row in found
        ]
        head = ["expert of", "positions", "Elo"]
        console.table("From the beginning of each phase, 95 % intervals", head, rows)
    for row in found:
        if row.too_late:
            console.note(f"{row.phase}: {row.too_late:,} positions left out, games are cut there")


def show_searches(console: Console, searches: Sequence[SearchRow]) -> None:
    """The phase mixture against one network by every other search."""
    if searches:
        rows = [[row.search, numbers.elo_interval(row.matches.elo)] for row in searches]
        console.table("Other searches, 95 % intervals", ["search", "Elo"], rows)


def show_learned(console: Console, learned: LearnedGates | None) -> None:
    """The phase mixture's experts by learned gates."""
    if learned is None:
        return
    division = learned.division
    rows = [
        [
            name,
            *(numbers.percent(share) for share in shares),
            numbers.signed_interval(division.beside_one[name]),
            numbers.signed_interval(division.beside_mixture[name]),
        ]
        for name, shares in division.shares.items()
    ]
    phases = [name for name in division.shares if name != ALL]
    head = ["positions of", *phases, "loss − one network", "loss − own gate"]
    console.table("Experts that learned gates choose, 95 % intervals", head, rows)
    console.note(f"By learned gates {numbers.elo_interval(learned.matches.elo)} Elo.")


def show_verdict(console: Console, results: Results) -> None:
    """The answer in a few lines."""
    console.note(f"{story.headline(results)}. {story.match_sentence(results)}")
    for line in story.expectation(results)[-1:]:
        console.note(line)
