"""Report of a run: win rates beside one network's and the placebo's, and the paper's claims."""

from collections.abc import Mapping, Sequence

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.claims import by_sign, judged
from phasezoo.experiments.pommerman import published
from phasezoo.experiments.pommerman.config import PommermanConfig
from phasezoo.experiments.pommerman.measurements import Dataset, LossRow, Phases, Record, Results
from phasezoo.experiments.statistics import Verdict, by_verdict
from phasezoo.experiments.study import study_report, took
from phasezoo.report import numbers, plots
from phasezoo.report.document import (
    Claim,
    Column,
    Document,
    Figure,
    Item,
    Section,
    Table,
    Text,
    published as column_of,
)
from phasezoo.training.experts.planned import TrainedNetwork

_OPPONENTS = {"simple": "SimpleAgents", "simple_unbiased": "SimpleUnbiasedAgents"}

_BY_SIGN = (
    "agrees if the 95 % interval of the difference lies above zero, disagrees if below; not "
    "settled by one training"
)
_BY_RANGE = (
    "agrees if the difference lies in the range and its 95 % interval above zero, disagrees if the "
    "interval lies outside the range; not settled by one training"
)


def report(results: Results) -> Document:
    """Return the report."""
    config = results.config
    compared = [one for one in results.records if one.kind in ("one", "gate", "placebo")]
    references = [one for one in results.records if one not in compared]
    return study_report(
        results,
        [
            Section(
                "The games",
                [_differences(compared, config), records_table("games", compared, _title(config))],
            ),
            Section(
                "The paper’s claims",
                [
                    Text(
                        f"{published.CITATION}. Its third gate, by the number of opponents left, "
                        "it calls unstable; the spread between trainings stands in the table above."
                    ),
                    *claims_of(results.records),
                ],
            ),
            Section("Beside the published search study", _references(references)),
            Section(
                "What was learned",
                [
                    phases_table(results.dataset),
                    losses_table(results.losses, results.dataset),
                    Section("Every network", [_networks_table(results.networks)], folded=True),
                ],
            ),
        ],
        title="One network per phase of the fight, or one for all?",
        headline=_headline(results),
        lead=(
            "Pommerman begins with walls to break and ends face to face. Does a search win more "
            "games when it has one small network for each phase than with one for everything?"
        ),
        subject="reproduce m2cts --game pommerman",
        source="paper",
        answer=[Text(_introduction(results)), _gains_table(results.records)],
        terms=_terms(config),
        limits=_LIMITS,
        beside=(
            "every game (games.jsonl), the networks (networks/), all numbers (results.json), the "
            "settings (config.json) and versions."
        ),
    )


def _terms(config: PommermanConfig) -> str:
    return (
        "- **Won**: the contender alone was left. Wilson’s 95 % interval over games.\n"
        "- **Drawn**: nobody won: time ran out after 800 steps, or the last ones died together.\n"
        "- **Single-player search**: the tree holds one’s own actions alone; an agent of theirs "
        "moves the others.\n"
        "- **Placebo**: experts for parts of the positions that a hash divides: as many networks "
        "on as thin data, without a specialty.\n"
        "- **Difference**: of win rates on the same boards and as the same players, against "
        f"opponents with the same random numbers; {numbers.count(config.resamples)} draws of "
        "boards with replacement, and Student’s t over trainings where there are several.\n"
        "- **Point**: one percentage point. A win rate of 43 % is 3 points above one of 40 %.\n"
    )


_LIMITS = """\
- The agent that makes the training games and moves the others in the search follows the published
  one’s rules as far as they are known; its details are our own.
- Heads and optimiser are this project’s: win, draw and loss in place of a tanh value.
- All networks of a training start from the same weights and see as many positions.
"""


def episodes_table(dataset: Dataset) -> Table:
    """Return episodes and positions of the splits."""
    names = ("train", "validation", "test")
    rows = list(zip(names, dataset.episodes, dataset.positions, strict=True))
    columns = [
        Column("", 0),
        Column("episodes", 1, numbers.count),
        Column("positions", 2, numbers.count),
    ]
    return Table("episodes", columns, rows, "Episodes of four SimpleUnbiasedAgents")


def phases_table(dataset: Dataset) -> Table:
    """Return how gates divide the training positions."""
    whole = sum(dataset.values)
    won, nobody, lost = (numbers.percent(count / whole) for count in dataset.values)
    caption = (
        f"{numbers.count(dataset.positions[0])} training positions of "
        f"{numbers.count(dataset.episodes[0])} episodes: {won} of players who won, {lost} of "
        f"players who lost or died, {nobody} where nobody won"
    )
    columns = [Column("gate", "gate"), Column("phases", _shares, prose=True)]
    return Table("phases", columns, dataset.phases, caption)


def losses_table(losses: Sequence[LossRow], dataset: Dataset) -> Table:
    """Return losses on test positions."""
    columns = [
        Column("", "name"),
        Column("policy loss", "policy", numbers.decimal),
        Column("value loss", "value", numbers.decimal),
        Column("accuracy", "accuracy", numbers.percent),
        Column(
            "total loss less one network’s",
            "difference",
            lambda interval: numbers.signed_interval(interval, 4),
        ),
    ]
    caption = (
        f"{numbers.count(dataset.positions[2])} test positions; the commonest action alone would "
        f"be right in {numbers.percent(dataset.majority)}"
    )
    return Table("losses", columns, losses, caption)


def records_table(name: str, records: Sequence[Record], caption: str) -> Table:
    """Return the games of contenders that are compared with one network."""
    columns = [
        Column("", _label),
        *_record_columns(),
        Column("of these timed out", "timed_out", numbers.count),
        Column("steps", "steps", numbers.whole),
        Column("won, by training", lambda one: ", ".join(map(numbers.percent, one.by_training))),
        Column("less one network", lambda one: _in_points(one.difference), _points),
        Column("less the placebo", lambda one: _in_points(one.to_placebo), _points),
    ]
    return Table(name, columns, records, caption)


def _record_columns() -> list[Column]:
    def ends(one: Record) -> str:
        rate = one.win_rate
        return numbers.between(numbers.percent(rate.low), numbers.percent(rate.high))

    return [
        Column("games", "games", numbers.count),
        Column("won", lambda one: one.win_rate.value, numbers.percent, below=ends),
        Column("drawn", lambda one: one.drawn / one.games, numbers.percent),
    ]


def _references(records: Sequence[Record]) -> list[Item]:
    low, high = (numbers.percent(rate, 0) for rate in published.ORIGINAL_ENVIRONMENT)
    columns = [
        Column("", "name"),
        Column("simulations", "simulations", numbers.count),
        *_record_columns(),
        Column("steps", "steps", numbers.whole),
        column_of(
            lambda one: published.SEARCH_STUDY.get(one.simulations),
            lambda pair: (
                f"{numbers.percent(pair[0])} trained, {numbers.percent(pair[1])} untrained"
            ),
            by="published, other rules",
        ),
    ]
    return [
        Text(
            "The published search study played the 64-channel network against three "
            "SimpleUnbiasedAgents in a simulator of its own, whose boards, explosions and agents "
            "differ from the original’s; its figures stand here as a reference, not as a mark. In "
            "the original environment, against three of its SimpleAgents and with the true state, "
            f"that network won {low} to {high} of 100 games a row at 1,000 simulations: that is "
            "the game played here."
        ),
        Table("references", columns, records)
        if records
        else Text("This run has no references: --references adds them."),
    ]


def _gains_table(records: Sequence[Record]) -> Table:
    def tone(one: Record) -> float | None:
        found = one.difference
        if found is None or found.low <= 0 <= found.high:
            return None
        return 0.25 if found.low > 0 else -0.25

    columns = [
        Column("", _label),
        Column(
            "points against one network",
            lambda one: _in_points(one.difference),
            lambda found: "not measured" if found is None else numbers.signed_interval(found, 1),
            tone=tone,
        ),
    ]
    return Table("gains", columns, [one for one in records if one.kind == "gate"])


def _networks_table(cards: Sequence[TrainedNetwork]) -> Table:
    columns = [
        Column("", "name"),
        Column("network", "architecture"),
        Column("parameters", "parameters", numbers.count),
        Column("positions", "positions", numbers.count),
        Column("unique", "unique_positions", numbers.count),
        Column("epochs", "epochs", lambda epochs: numbers.decimal(epochs, 2)),
        Column("updates", "updates", numbers.count),
        Column("validation", "validation_loss", numbers.decimal),
        Column("time", "seconds", numbers.duration),
    ]
    caption = "Every parameter of a network is active for every position it answers"
    return Table("networks", columns, cards, caption)


def claims_of(records: Sequence[Record]) -> list[Claim]:
    """Return the paper's claims about the gates that were played.

    How a training comes out is chance too, so that one training settles nothing.
    """
    low, high = published.CLAIMED_GAIN
    claims = []
    for record in records:
        gate = record.name.split(":", maxsplit=1)[0]
        gap = record.difference
        if record.kind != "gate" or gap is None or gate not in published.CLAIMED_GATES:
            continue
        # The paper's name of the gate, with thresholds: a gate can be played by several.
        name = record.name.replace("proximity", "mixedness")
        ours = f"{_points(_in_points(gap))} percentage points of the win rate"
        several = len(record.by_training) > 1
        claims.append(
            Claim(
                f"Experts by {name} win more games than one network.",
                ours,
                _BY_SIGN,
                by_sign(gap, "higher") if several else "not settled",
            )
        )
        claims.append(
            Claim(
                f"The gain is {numbers.between(f'{100 * low:.0f}', f'{100 * high:.0f}')} points.",
                ours,
                _BY_RANGE,
                judged(
                    agrees=several and low <= gap.value <= high and gap.low > 0,
                    disagrees=several and (gap.high < low or gap.low > high),
                ),
            )
        )
    return claims


def _headline(results: Results) -> str:
    """Return the main result in a line: against one network, and against the placebo."""
    gates = [record for record in results.records if record.kind == "gate"]
    to_one = by_verdict((record.name, record.difference) for record in gates)
    to_placebo = by_verdict((record.name, record.to_placebo) for record in gates)
    parts = [*_compared(to_one, "one network"), *_compared(to_placebo, "the placebo")]
    if results.config.trainings == 1:
        parts.insert(0, "with one training, too few for a claim")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:]


def _compared(found: Mapping[Verdict, Sequence[str]], other: str) -> list[str]:
    """Return the verdicts of gates beside another contender, in words."""
    parts = []
    if found["higher"]:
        parts.append(f"experts by {numbers.listed(found['higher'])} win more games than {other}")
    if found["lower"]:
        parts.append(f"experts by {numbers.listed(found['lower'])} win fewer games than {other}")
    if found["unclear"]:
        parts.append(
            f"for {numbers.listed(found['unclear'])} against {other} these games do not tell"
        )
    return parts


def _introduction(results: Results) -> str:
    config = results.config
    games = sum(record.games for record in results.records)
    trained = sum(results.dataset.positions)
    times = "with one training"
    if config.trainings > 1:
        times = f"with {numbers.in_words(config.trainings)} trainings"
    return (
        f"Networks ({config.network}) learned from {numbers.count(trained)} positions of games "
        "that four SimpleUnbiasedAgents played against each other: one from all positions, the "
        f"others each from one phase. Then they guided a search of {config.simulations} "
        f"simulations a move in {numbers.count(games)} games against three "
        f"{_OPPONENTS[config.opponents]}, on the same boards and as each of four players for every "
        f"contender, {times}. It {took(results)}."
    )


def _title(config: PommermanConfig) -> str:
    """Return a line on the games: every table names what the search knew."""
    known = "what its player may know" if config.information == "observed" else "the true state"
    return (
        f"Free-for-all against three {_OPPONENTS[config.opponents]}; the search knows {known}, the "
        f"others move in it as {config.others}"
    )


def _label(record: Record) -> str:
    kinds = {"gate": "experts by ", "placebo": "placebo, experts by "}
    return f"{kinds.get(record.kind, '')}{record.name}"


def _shares(phases: Phases) -> str:
    whole = sum(phases.positions)
    parts = zip(phases.names, phases.positions, strict=True)
    return ", ".join(f"{name} {numbers.percent(count / whole)}" for name, count in parts)


def _in_points(difference: Interval | None) -> Interval | None:
    """Return a difference of win rates in percentage points."""
    if difference is None:
        return None
    return Interval(100 * difference.value, 100 * difference.low, 100 * difference.high)


def _points(points: Interval | None) -> str:
    return numbers.signed_interval(points, 1)


def _differences(records: Sequence[Record], config: PommermanConfig) -> Figure:
    """Show win rates less one network's."""

    def row(record: Record, colour: str) -> plots.Estimate:
        return plots.Estimate(record.name, _in_points(record.difference), colour, strong=True)

    low, high = (100 * end for end in published.CLAIMED_GAIN)
    claimed = Interval((low + high) / 2, low, high)
    quoted = plots.Estimate(
        "steps and mixedness", claimed, plots.PAPER, f"+{low:.0f} to +{high:.0f}"
    )
    groups = [
        ("Experts by phase", [row(r, plots.PHASE) for r in records if r.kind == "gate"]),
        ("Placebo", [row(r, plots.PLACEBO) for r in records if r.kind == "placebo"]),
        ("The paper", [quoted]),
    ]
    bars = (
        "Bars are 95 % intervals that count trainings first and boards second."
        if config.trainings > 1
        else "Bars are 95 % intervals over boards; with one training they say nothing of the "
        "method."
    )
    caption = (
        "Win rates of the mixtures less one network’s, on the same boards and as the same players. "
        f"{bars}"
    )
    hints = ("one network wins more", "experts win more")
    label = "win rate less one network’s, percentage points"
    return plots.comparison("differences", groups, label, 1, caption, hints=hints)
