"""Report of an audit: every figure beside its constant, by phase, band and distance."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.auditing.measurements import ALL, CONSTANT, Results, Score
from phasezoo.experiments.auditing.positions import DISTANCES, NO_BOUNDARY
from phasezoo.experiments.matches import result_columns
from phasezoo.experiments.study import study_report
from phasezoo.report import numbers
from phasezoo.report.document import Column, Document, Item, Section, Table, Text, estimate, literal


@dataclass(frozen=True)
class Failure:
    """A network whose policy or value does not beat its constant in a phase."""

    network: str
    phase: str
    part: str


def report(results: Results) -> Document:
    """Return the report."""
    measured = results.measured
    failures = failures_of(measured.scores)
    sections: list[Item] = [
        Section(
            "By phase",
            [positions_table(results), scores_table(results, "phases"), Text(_sentences(failures))],
        ),
        Section("Calibration", [_calibration_table(results), _bins_table(results)]),
        Section("Near boundaries", [scores_table(results, "distances"), _jumps_table(results)]),
    ]
    if results.config.bands:
        sections.insert(1, Section("By rating", [scores_table(results, "bands")]))
    if measured.agreement:
        sections.append(Section("Agreement", [_agreement_table(results)]))
    if results.leaves:
        sections.append(Section("Leaves outside the root's phase", [_leaves_table(results)]))
    if results.played:
        sections.append(_play_section(results, failures))
    return study_report(
        results,
        sections,
        subject="audit",
        answer=[],
        terms=_TERMS,
        limits=_LIMITS,
        beside="the figures ([results.json](results.json)), the same text as Markdown "
        "([report.md](report.md)), the settings ([config.json](config.json)).",
        title="How good are these networks in each phase?",
        headline=_headline(failures),
        lead=f"{numbers.count(measured.games)} games of {literal(results.game)}, gate "
        f"`{results.config.gate}`; every figure stands beside that of a constant.",
    )


_TERMS = """\
- **Policy loss**: cross-entropy over the legal actions, in nats. Its constant: all are alike.
- **Accuracy**: share of positions whose likeliest action was played; equals share one hit.
- **Value loss**: squared error of the value, from −1 to 1. Its constant: the mean result of the
  row's own positions. A quarter of it is the **Brier score**, the squared error of the expected
  score.
- **Brier score of three**: squared error of the probabilities of win, draw and loss, summed. Its
  constant: the row's own shares of them.
- **Beats its constant**: the 95 % interval over games of the loss less the constant's lies below 0.
- **Calibration error**: mean over positions of the distance between expected and actual score of
  their bin. Few positions make it large by chance: a network whose bins get what they expect stays
  below the number beside it in 95 of 100 cases.
"""

_LIMITS = """\
- Constants are fitted to the positions that they are judged on, and so have a small advantage.
- The constant of a band of ratings knows the band, which networks do not.
- Searches are counted by their first leaves: a search of many leaves begins like one of few.
- Positions at boundaries lie at other plies than those inside phases, which moves jumps too.
"""


def failures_of(scores: list[Score]) -> list[Failure]:
    """Return where a network's policy or value does not beat its constant, by phase."""
    parts = (("policy", "policy"), ("value", "value"), ("wdl", "win/draw/loss"))
    return [
        Failure(score.network, score.phase, part)
        for score in scores
        if score.group == ALL and score.network != CONSTANT
        for metric, part in parts
        if metric in score.gains and not _is_below(score.gains[metric])
    ]


def _is_below(gain: Interval | None) -> bool:
    return gain is not None and gain.high < 0


def _headline(failures: list[Failure]) -> str:
    if not failures:
        return "Every network beats its constants in every phase"
    places = {(one.network, one.phase) for one in failures}
    count = numbers.plural(len(places), "place").capitalize()
    return f"{count} where a network does not beat a constant"


def _sentences(failures: list[Failure]) -> str:
    """Name every network and phase that does not beat its constant."""
    if not failures:
        return "Every policy and value beats its constant in every phase."
    lines = [
        f"- The {one.part} of {literal(one.network)} does not beat its constant in "
        + ("all phases together." if one.phase == ALL else f"the phase {literal(one.phase)}.")
        for one in failures
    ]
    return "\n".join(lines)


def positions_table(results: Results) -> Table:
    """Return positions and draws by phase."""
    measured = results.measured
    rows = [(name, n, measured.draws.get(name)) for name, n in measured.positions.items()]
    rows.append((ALL, sum(measured.positions.values()), measured.draws[ALL]))
    left = f"{numbers.count(measured.left_out)} positions after the end by the rules are left out."
    columns = [
        Column("phase", 0),
        Column("positions", 1, numbers.count),
        Column("share from drawn games", 2, numbers.percent),
    ]
    return Table("positions", columns, rows, "Positions", note=left if measured.left_out else "")


def scores_table(results: Results, by: str) -> Table:
    """Return every network and the constants."""
    distances = [*DISTANCES, NO_BOUNDARY]
    phases = [*results.measured.phases, ALL]

    def is_of(score: Score) -> bool:
        if by == "phases":
            return score.group == ALL
        return score.group != ALL and (score.group in distances) == (by == "distances")

    rows = sorted(
        filter(is_of, results.measured.scores),
        key=lambda s: (
            phases.index(s.phase),
            distances.index(s.group) if s.group in distances else 0,
        ),
    )
    group = (
        []
        if by == "phases"
        else [Column("positions near" if by == "distances" else "rating", "group")]
    )
    columns = [
        Column("network", "network"),
        Column("phase", "phase"),
        *group,
        Column("positions", "positions", numbers.count),
        estimate("policy loss", lambda s: s.means["policy"]),
        estimate("less constant", lambda s: s.gains.get("policy"), signed=True),
        _share("accuracy", lambda s: s.means["accuracy"], numbers.percent),
        _share("value loss", lambda s: s.means["value"], most=4),
        estimate("value, less constant", lambda s: s.gains.get("value"), signed=True),
        _share("Brier score", lambda s: _quarter(s.means["value"])),
        _share("Brier score of three", lambda s: s.means["wdl"], most=2),
        estimate("of three, less constant", lambda s: s.gains.get("wdl"), signed=True),
    ]
    caption = {"phases": "By phase", "bands": "By rating of the player to move"}
    words = caption.get(by, "By distance to the nearest boundary")
    return Table(by, columns, rows, words, strong=lambda s: s.network == CONSTANT)


def _quarter(interval: Interval | None) -> Interval | None:
    if interval is None:
        return None
    return Interval(interval.value / 4, interval.low / 4, interval.high / 4)


def _share(
    head: str,
    value: str | Callable[[Any], Interval | None],
    form: Callable[[float], str] | int = 3,
    most: float = 1,
) -> Column:
    """Return a column of numbers from 0 to ``most``, where their intervals end."""
    column = Column(head, value)

    def share(row: Any) -> Interval | None:
        found: Interval | None = column.of(row)
        return found and found.of_share(most)

    return estimate(head, share, form)


def _calibration_table(results: Results) -> Table:
    columns = [
        Column("network", "network"),
        Column("phase", "phase"),
        Column("calibration error", "error", lambda error: numbers.decimal(error, 4)),
        Column("by chance, 95 %", "by_chance", lambda most: numbers.decimal(most, 4)),
    ]
    return Table("calibration", columns, results.measured.calibration, "Expected calibration error")


def _bins_table(results: Results) -> Table:
    columns = [
        Column("network", "network"),
        Column("phase", "phase"),
        Column("expected score", lambda b: f"{b.low:.2f} to {b.high:.2f}"),
        Column("positions", "positions", numbers.count),
        Column("mean expected", "expected", numbers.decimal),
        _share("mean score", "happened"),
    ]
    return Table("reliability", columns, results.measured.bins, "Expected and actual scores")


def _jumps_table(results: Results) -> Table:
    columns = [
        Column("network", "network"),
        Column("step of one ply", "name"),
        Column("steps", "steps", numbers.count),
        estimate("mean size of the change", "size", 4),
        estimate("less inside phases", "against", 4, signed=True),
    ]
    return Table("jumps", columns, results.measured.jumps, "Changes of the value in one ply")


def _agreement_table(results: Results) -> Table:
    columns = [
        Column("network", "first"),
        Column("other", "second"),
        Column("phase", "phase"),
        _share("same likeliest action", "same", numbers.percent),
        estimate("mean size of the difference of values", "apart"),
    ]
    return Table("agreement", columns, results.measured.agreement, "Agreement of networks")


def _leaves_table(results: Results) -> Table:
    columns = [
        Column("network", "network"),
        Column("phase of the root", "phase"),
        Column("leaves", "nodes", numbers.count),
        Column("searches", "searches", numbers.count),
        _share("outside the root's phase", "share", numbers.percent),
    ]
    return Table("leaves", columns, results.leaves, "Leaves outside the root's phase")


def _play_section(results: Results, failures: list[Failure]) -> Section:
    first, second = results.config.networks[:2]
    weak = sorted({f.network for f in failures if f.part == "value"} & {first, second})
    columns = [
        Column("phase", "phase"),
        Column("part", "part"),
        *result_columns(lambda row: row.match),
    ]
    words = f"{literal(first)} with one part of one phase from {literal(second)}, against itself."
    if weak:
        words += f" The value of {numbers.listed(list(map(literal, weak)))} does not beat its "
        words += "constant everywhere: Elo here is that of such values."
    return Section(
        "Worth in play", [Text(words), Table("play", columns, results.played, "Parts replaced")]
    )
