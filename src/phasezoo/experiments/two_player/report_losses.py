"""Losses in the report: the loss matrix, and positions learned from beside new ones."""

import math
from collections.abc import Callable, Iterable

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.statistics import Verdict, by_verdict, verdict
from phasezoo.experiments.two_player.losses import ALL, CONSTANT, Comparison, Entry, Losses
from phasezoo.experiments.two_player.matches import Results
from phasezoo.experiments.two_player.overfitting import GapRow, Overfitting
from phasezoo.experiments.two_player.preparation import Dataset
from phasezoo.experiments.two_player.variants import BASELINE, ONE
from phasezoo.report import numbers, plots
from phasezoo.report.document import Column, Figure, Item, Section, Table, Text, columns_by
from phasezoo.report.plots import Estimate
from phasezoo.training.experts.strategies import Strategy

LossTexts = tuple[str, str, tuple[str, str]]
"""A title, what is compared, and what follows if the loss is lower or higher."""

_METRICS = {
    "total": ("total", numbers.decimal),
    "policy": ("policy", numbers.decimal),
    "value": ("value", numbers.decimal),
    "accuracy": ("policy accuracy", numbers.percent),
}
"""Numbers of a cell: heading and format."""

_COMPARISONS = {
    "thinning": ("placebo − one network: what thinner data costs", plots.PLACEBO),
    "specialisation": ("phases − placebo: what specialisation gives", plots.PHASE),
    "both": ("phases − one network: both together", plots.INK),
}
"""Labels and colours of the comparisons of total loss."""


def bullets(sentences: Iterable[str]) -> Text:
    """Return sentences as a list."""
    return Text("\n".join(f"- {sentence}" for sentence in sentences))


def losses_section(results: Results) -> Section:
    """Return the section on test losses."""
    losses = results.losses
    return Section(
        "What came out: losses",
        [
            Text(
                "The loss says how badly a network predicts the move that was played and the "
                "result of the game, on positions it has never seen; less is better. Every expert "
                "was also measured on phases that are not its own, where it is not meant to be "
                "used.\n\n" + _removed(results.dataset)
            ),
            losses_table(losses),
            *_everywhere(losses),
            Section(
                "Specialisation against thinner data",
                [
                    bullets(_loss_sentences(results)),
                    comparisons_table(losses),
                    _differences(losses),
                ],
            ),
            Section("Positions learned from, and new ones", _overfitting(results.overfitting)),
            Section(
                "All numbers: total, policy and value loss, policy accuracy",
                [
                    Text(
                        "Total = 0.01 · value loss + 0.99 · policy loss, as in the paper. Policy: "
                        "cross-entropy of the played move over all actions, in nats. Value: "
                        "squared error of the predicted result in [−1, 1]. Accuracy: share of "
                        "positions whose likeliest action is the one played. Below: 95 % interval "
                        "of the difference to one network.",
                        muted=True,
                    ),
                    *(numbers_table(losses, column) for column in losses.columns),
                ],
                folded=True,
            ),
        ],
    )


def losses_table(losses: Losses, *, everywhere: bool = False) -> Table:
    """Return the loss matrix, shaded by the difference to one network.

    Args:
        losses: All losses.
        everywhere: True for all positions of the test games, known ones among them.
    """
    measured = losses.everywhere if everywhere else losses.entries
    entries = [entry for entry in measured if entry.role != CONSTANT]
    found = [d["total"] for entry in entries for d in entry.differences.values()]
    strongest = max((abs(gap.value) for gap in found if gap is not None), default=0.0)

    def gap(entry: Entry, name: str) -> Interval | None:
        return entry.differences.get(name, {}).get("total")

    def ends(entry: Entry, name: str) -> str:
        found = gap(entry, name)
        if found is None:
            return ""
        low, high = numbers.signed(found.low), numbers.signed(found.high)
        return f"{numbers.signed(found.value)} [{low}, {high}]"

    def tone(entry: Entry, name: str) -> float | None:
        found = gap(entry, name)
        return None if found is None else shade(-found.value, strongest)

    columns = columns_by(
        losses.columns,
        lambda entry, name: entry.cells[name].total,
        numbers.decimal,
        head=test_set,
        below=ends,
        tone=tone,
        marked=lambda entry, name: entry.phase == name,
    )
    which = "all positions of the test games" if everywhere else "test positions"
    return Table(
        "losses on all positions" if everywhere else "losses",
        [Column("", "name"), *columns],
        entries,
        f"Total loss on {which} of each phase, with the difference to one network below and its "
        "95 % interval in brackets.",
        strong=lambda entry: entry.phase is None and entry.role != BASELINE,
        note="Shaded: better than one network, or worse than one network; framed: an expert on its "
        "own phase.",
    )


def _everywhere(losses: Losses) -> list[Item]:
    """Return the losses with known positions; nothing if there are none."""
    if not losses.everywhere:
        return []
    new, whole = (
        entries[0].cells[ALL].positions for entries in (losses.entries, losses.everywhere)
    )
    return [
        Text(
            f"Positions that occur in training games too are left out above: "
            f"{numbers.count(whole - new)} of the {numbers.count(whole)} positions of these games. "
            "Networks meet them in play. With them:"
        ),
        losses_table(losses, everywhere=True),
    ]


def shade(value: float, strongest: float) -> float:
    """Return the shade of a difference, better above zero.

    The square root keeps small differences visible beside an expert's large ones off its phase.
    """
    return math.copysign(0.55 * math.sqrt(abs(value) / strongest), value) if strongest else 0.0


def comparisons_table(losses: Losses) -> Table:
    """Return the comparisons of total loss."""
    columns = columns_by(
        losses.columns,
        lambda one, name: one.differences[name]["total"],
        numbers.signed_interval,
        head=test_set,
    )
    return Table(
        "comparisons",
        [Column("", lambda one: _COMPARISONS[one.name][0]), *columns],
        losses.comparisons,
        "Differences of total loss, 95 % intervals",
    )


def numbers_table(losses: Losses, name: str) -> Table:
    """Return every number of a test set."""

    def column(metric: str, head: str, shown: Callable[[float | None], str]) -> Column:
        def ends(entry: Entry) -> str:
            gap = entry.differences.get(name, {}).get(metric)
            return "" if gap is None else numbers.span(gap)

        return Column(head, lambda entry: getattr(entry.cells[name], metric), shown, below=ends)

    positions = max((entry.cells[name].positions for entry in losses.entries), default=0)
    return Table(
        f"losses on {name}",
        [Column("", "name"), *(column(metric, *how) for metric, how in _METRICS.items())],
        losses.entries,
        f"{test_set(name)}: {numbers.count(positions)} test positions. The constant is the mean "
        "result of the phase’s training positions.",
    )


def comparison(losses: Losses, name: str) -> Comparison:
    """Return a comparison by its name."""
    return next(one for one in losses.comparisons if one.name == name)


def _removed(dataset: Dataset) -> str:
    """Return which test positions were left out, and the effect on the first phases."""
    test = next(split for split in dataset.splits if split.name == "test")
    if not sum(test.removed):
        return "None of the test positions occurs in train."
    shares = ", ".join(
        f"{name} {numbers.percent(gone / whole, 0)}"
        for name, gone, whole in zip(dataset.phases, test.removed, test.positions, strict=True)
        if whole
    )
    return (
        f"Test positions that occur in train are left out ({shares}). What is left of a phase with "
        "many such positions are its rarer, harder ones, so losses of different phases cannot be "
        "compared with each other; those in one column can."
    )


def _loss_sentences(results: Results) -> list[str]:
    """Return what specialisation gave, what thinner data cost, and what both came to."""
    sentences = []
    texts = _loss_texts(results)
    for found in sorted(results.losses.comparisons, key=lambda one: [*texts].index(one.name)):
        title, what, (better, worse) = texts[found.name]
        interval = found.differences[ALL]["total"]
        if interval is None:
            sentences.append(f"**{title}** There were no test positions to measure it on.")
            continue
        ending = {
            "lower": f"{better}.",
            "higher": f"{worse}.",
            "unclear": "The interval holds zero, so this run does not show which.",
        }[verdict(interval)]
        figure = numbers.signed_interval(interval)
        sentences.append(f"**{title}** {what[0].upper()}{what[1:]}: {figure}. {ending}")
    return sentences


def _loss_texts(results: Results) -> dict[str, LossTexts]:
    """Return the subject of each comparison of test losses, by its name."""
    count = len(results.dataset.phases)
    experts = f"{numbers.in_words(count)} experts" if count > 1 else "one expert"
    if Strategy.parse(results.config.strategy).phase_input is not None:
        return {
            "specialisation": (
                "What the phase gives.",
                "the test loss of the network that knows the phase against the placebo's",
                ("Knowing the phase made a better network", "Knowing it made a worse network"),
            ),
            "thinning": (
                "What any such input costs.",
                "the placebo's loss, whose phases mean nothing, against one network's",
                ("Such inputs helped by themselves", "Such inputs cost accuracy"),
            ),
            "both": (
                "Both together.",
                "the loss of the network that knows the phase against one network's",
                ("It predicts better", "It predicts worse"),
            ),
        }
    return {
        "specialisation": (
            "What specialisation gives.",
            "the phase experts' test loss against the placebo experts'",
            ("Knowing a phase made better experts", "Knowing a phase made worse experts"),
        ),
        "thinning": (
            "What dividing the data costs.",
            f"the loss of {experts} of positions that are divided at random against one network's",
            ("Dividing the data helped by itself", "Dividing the data cost accuracy"),
        ),
        "both": (
            "Both together.",
            "the phase experts' loss against one network's",
            ("The mixture predicts better", "The mixture predicts worse"),
        ),
    }


def _overfitting(found: Overfitting) -> list[Item]:
    items: list[Item] = [overfitting_table(found)]
    if any(row.beside is not None for row in found.rows):
        items.append(Text(_overfitting_sentence(found)))
    return items


def overfitting_table(found: Overfitting) -> Table:
    """Return losses on positions learned from and on new ones, phase by phase."""

    def name(row: GapRow) -> str:
        return f"{ONE}, {row.phase}" if row.name == ONE else row.name

    columns = [
        Column("", name),
        Column("learned from", "unique_positions", numbers.count),
        Column("loss on those", "learned", numbers.decimal),
        Column("loss on new ones", "new", numbers.decimal),
        Column("gap", "gap", numbers.signed_interval),
        Column("gap − one network’s", "beside", numbers.signed_interval),
    ]
    caption = (
        f"Total loss of each network on up to {numbers.count(found.most)} of the positions of a "
        "phase that it learned from, and on as many test positions of the phase, with 95 % "
        "intervals of the gap"
    )
    return Table("overfitting", columns, found.rows, caption, strong=lambda row: row.name == ONE)


def _overfitting_sentence(found: Overfitting) -> str:
    """Return whether experts fit what they learned from more closely than one network does."""
    words = by_verdict((row.phase, row.beside) for row in found.rows)
    closely: dict[Verdict, str] = {"higher": "more", "lower": "less"}
    apart = [
        f"{text} closely than one network in {', '.join(words[kind])}"
        for kind, text in closely.items()
        if words[kind]
    ]
    said = ["The paper explains by overfitting why experts lose with few data."]
    if apart:
        fit = "Experts of this run fit the positions that they learned from"
        said.append(f"{fit} {', and '.join(apart)}.")
    if words["unclear"]:
        said.append(
            f"In {', '.join(words['unclear'])} this run does not tell whether experts fit the "
            "positions that they learned from more or less closely than one network does."
        )
    said.append(
        "On both sides positions are taken that no other training position equals, so that common "
        "openings count for neither."
    )
    return " ".join(said)


def _differences(losses: Losses) -> Figure:
    """Show the comparisons of total loss, by test set."""
    groups = [
        (
            test_set(column),
            [
                Estimate(
                    _COMPARISONS[one.name][0],
                    one.differences[column]["total"],
                    _COMPARISONS[one.name][1],
                    strong=column == ALL,
                )
                for one in losses.comparisons
            ],
        )
        for column in [*(c for c in losses.columns if c != ALL), ALL]
    ]

    label = "difference of total loss on test positions"
    caption = (
        "Differences of total loss with 95 % intervals. Left of zero is better. The first two of "
        "each group add up to the third."
    )
    hints = ("← better", "worse →")
    return plots.comparison("differences", groups, label, 3, caption, hints=hints)


def test_set(column: str) -> str:
    """Return how a set of test positions is called in tables."""
    return "all positions" if column == ALL else column
