"""Cost of experts, and learned gates, in the report."""

from phasezoo.experiments.statistics import verdict
from phasezoo.experiments.two_player.measurements import (
    ALL,
    CallCost,
    Cost,
    Division,
    GateCost,
)
from phasezoo.experiments.two_player.report_losses import bullets, test_set
from phasezoo.experiments.two_player.results import LearnedGates
from phasezoo.report import numbers
from phasezoo.report.document import Column, Item, Section, Table, Text

BESIDE = {"higher": "stronger than", "lower": "weaker than", "unclear": "not told apart from"}
"""A player beside one network, by the verdict of their Elo difference."""


def results_columns() -> list[Column]:
    """Return the columns of rows that have games against one network."""
    return [
        Column("won", lambda row: row.matches.total.wins, numbers.count),
        Column("drawn", lambda row: row.matches.total.draws, numbers.count),
        Column("lost", lambda row: row.matches.total.losses, numbers.count),
        Column("Elo over one network", lambda row: row.matches.elo, numbers.elo_interval),
    ]


def cost_items(cost: Cost) -> list[Item]:
    """Return memory and time of experts."""
    items: list[Item] = [sizes_table(cost)]
    if not cost.calls:
        return items
    items.append(calls_table(cost))
    if cost.gate:
        items.append(
            Text(
                "By learned gates a call takes the time of `exact` and that of the gate, which "
                "looks at every position itself."
            )
        )
    items.append(
        Text(
            "The positions are test positions of all phases, which is the most that a batch can be "
            "divided; leaves of one tree are mostly of one phase, and then `exact` costs what "
            "`majority` does.",
            muted=True,
        )
    )
    return items


def sizes_table(cost: Cost) -> Table:
    """Return the memory of every mixture."""
    columns = [
        Column("", "name"),
        Column("networks", "networks"),
        Column("parameters", "parameters", numbers.count),
        Column("active for a position", "active", numbers.count),
        Column("weights", "weights", lambda size: f"{numbers.decimal(size / 2**20, 2)} MiB"),
    ]
    caption = (
        "What the networks of a player weigh. Weights: as they are stored, one copy; what a "
        "backend sets aside besides is not in it."
    )
    return Table("sizes", columns, cost.sizes, caption)


def calls_table(cost: Cost) -> Table:
    """Return the time of a call by routing and batch."""
    rows: dict[str, dict[int, CallCost | GateCost]] = {}
    for one in cost.calls:
        name = one.name if one.routing is None else f"{one.name}, {one.routing}"
        rows.setdefault(name, {})[one.batch] = one
    for gate in cost.gate:
        rows.setdefault("learned gate", {})[gate.batch] = gate

    def column(batch: int) -> Column:
        def beside(row: tuple[str, dict[int, CallCost | GateCost]]) -> str:
            call = row[1][batch]
            if isinstance(call, CallCost) and call.routing is None:
                return ""
            text = f"× {numbers.plain_interval(call.ratio, 2)}"
            asked = f", {numbers.plural(call.calls, 'network')}" if hasattr(call, "calls") else ""
            return text + asked

        return Column(
            numbers.plural(batch, "position"),
            lambda row: row[1][batch].milliseconds,
            lambda time: numbers.plain_interval(time, 2),
            below=beside,
        )

    return Table(
        "calls",
        [Column("", 0), *map(column, sorted({one.batch for one in cost.calls}))],
        list(rows.items()),
        f"Milliseconds inside networks a call ({cost.clock}), then beside one network’s, then "
        f"networks asked: median of {numbers.plural(cost.rounds, 'round')}, lowest and highest in "
        "brackets",
    )


def learned_section(found: LearnedGates) -> Section:
    """Return the section on gates that learned to choose among the phase mixture's experts."""
    positions = numbers.plural(found.gates[0].positions, "validation position")
    match = Table(
        "learned gates, games",
        [Column("", lambda _: "by learned gates"), *results_columns()],
        [found],
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

    def column(place: int, phase: str) -> Column:
        return Column(
            f"expert of {phase}", lambda row: division.shares[row][place], numbers.percent
        )

    phases = [name for name in division.shares if name != ALL]
    columns = [
        Column("positions of", test_set),
        *(column(place, phase) for place, phase in enumerate(phases)),
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
