"""Report of a run of self-play, a page that grows while it learns."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasezoo.report import numbers
from phasezoo.report.again import done_again
from phasezoo.report.document import Column, Document, Item, Section, Table, Text
from phasezoo.runs import jsonable
from phasezoo.runs.record import RunRecord
from phasezoo.training.probes.probe import Score
from phasezoo.training.selfplay import figures
from phasezoo.training.selfplay.config import MCTS, SelfPlayConfig
from phasezoo.training.selfplay.figures import Line
from phasezoo.training.selfplay.measurements import CostRow, ProbeRow, RungRow, elo_of, gains_of
from phasezoo.training.selfplay.outcome import Update

REFRESH_S = 30
"""A browser loads the page again after so many seconds while the run goes on."""


@dataclass(frozen=True)
class Seen:
    """State of a run."""

    config: SelfPlayConfig
    game: str
    players: int
    """Number of players."""
    network: str
    parameters: int
    gate: str | None
    """Gate of the phases of experts; None: one network."""
    learners: tuple[str, ...]
    """Names of the learners; none if there is one alone."""
    scores: tuple[Score, ...]
    """Scores of the probes."""
    rows: Sequence[Update] = ()
    """Rounds that have ended."""
    probes: Sequence[ProbeRow] = ()
    """Measurements of versions."""
    ladder: Sequence[RungRow] = ()
    """Matches between versions."""
    costs: Sequence[CostRow] = ()
    """Costs of rounds."""
    is_stopped: bool = False
    """True if the run was stopped, or failed, after the last of the rounds."""

    @property
    def is_whole(self) -> bool:
        """True if the run has ended."""
        return len(self.rows) >= self.config.updates

    @property
    def goes_on(self) -> bool:
        """True if more rounds follow in this session."""
        return not (self.is_whole or self.is_stopped)


def report(seen: Seen, record: RunRecord) -> Document:
    """Return the report of a run so far."""
    running = "" if seen.is_whole else " · running"
    network = f"{seen.network}, {numbers.count(seen.parameters)} parameters"
    learners = f"A network ({network})"
    if seen.gate is not None:
        learners = f"An expert for each phase ({network}, gate {seen.gate})"
    return Document(
        title="What has it learned by playing itself?",
        headline=headline(seen),
        lead=(
            f"{learners} plays {seen.game} against itself and learns from the games; nobody showed "
            "it any."
        ),
        kicker=f"phasezoo · selfplay · {seen.game}{running} · {record.date}",
        answer=[_state_table(seen)],
        items=[
            *_probes(seen),
            *_ladder(seen),
            *_learning(seen),
            *_phases(seen),
            *_time(seen),
            Section("Terms and limits", [Text(_terms(seen)), Section("Limits", [_limits(seen)])]),
            done_again(
                _command(),
                record.provenance,
                _spent(seen.costs),
                _settings(seen.config),
                "games, versions, numbers of every round (updates.jsonl, metrics.csv), "
                "probes.jsonl, ladder.jsonl, costs.jsonl, the settings (config.json).",
            ),
        ],
        refresh_s=REFRESH_S if seen.goes_on else None,
    )


def _state_table(seen: Seen) -> Table:
    last, count = seen.rows[-1], numbers.count
    samples, is_beam = sum(row.samples for row in seen.rows), seen.config.agent != MCTS
    searched = (
        f"{count(seen.config.positions)} {'positions a search' if is_beam else 'nodes a move'}"
    )
    by = f"searched by {seen.config.agent}, {searched}" if is_beam else f"searched with {searched}"
    often = f"each {last.learned / samples:.1f} times on average" if samples else "none yet"
    rows = [
        ("games", count(last.games), by),
        ("samples learned from", count(last.learned), f"{count(samples)} new ones, {often}"),
    ]
    if seen.config.promote_games:
        text = "the last that won its match"
        rows.append(("version that plays", count(last.best), text))
    wall = sum(row.wall for row in seen.costs)
    if wall:
        rows.append(("time", numbers.duration(wall), "as far as costs.jsonl has it"))
    columns = [Column("", 0), Column("so far", 1), Column("", 2, prose=True)]
    return Table("state", columns, rows)


def _scores(seen: Seen) -> list[tuple[Score, list[Line]]]:
    """Return the scores that were measured, with their lines."""
    lines = probe_lines(seen.probes)
    return [(score, lines[score.name]) for score in seen.scores if score.name in lines]


def _probes(seen: Seen) -> list[Item]:
    found = _scores(seen)
    if not found:
        return []
    rows = []
    for score, lines in found:
        best = max if score.better == "higher" else min
        form = numbers.percent if score.unit == "%" else numbers.decimal
        for who, _, values in lines:
            name = f"{score.name}, {who}" if who else score.name
            rows.append((name, *map(form, (values[0], values[-1], best(values)))))
    heads = ("", "first", "last", "best")
    columns = [Column(head, place) for place, head in enumerate(heads)]
    text = (
        "Every version is measured on the same positions, the network alone (its likeliest move) "
        "and with search."
    )
    figure = figures.probes(
        [score for score, _ in found], {score.name: lines for score, lines in found}
    )
    table = Table("probes", columns, rows, "Probes")
    return [Section("How well it plays", [Text(text), figure, table])]


def _ladder(seen: Seen) -> list[Item]:
    elo = elo_of(seen.ladder)
    if len(elo) < 2:
        return []
    text = (
        "Matches between versions, every pair once, rated together; the band is the 95 % interval "
        "of the difference to version 0."
    )
    games = sum(len(row.scores) for row in seen.ladder)
    return [Section("Elo of versions", [Text(text), figures.ladder(elo, games)])]


def _learning(seen: Seen) -> list[Item]:
    names = {f"{name}/": name for name in seen.learners} or {"": "network"}
    found = {name: numbers.count(value or 0) for name, value in seen.rows[-1].numbers.items()}
    checked = ""
    if seen.rows[-1].numbers["games/verdicts_checked"]:
        checked = (
            f"of {found['games/verdicts_checked']} verdicts checked "
            f"{found['games/verdicts_false']} were wrong; "
        )
    text = (
        f"Of the last round’s {found['games/played']} games {found['games/resigned']} were given "
        f"up and {found['games/cut']} cut as draws; {checked}the replay holds "
        f"{found['replay/samples']} samples."
    )
    return [
        Section("Learning", [figures.losses(seen.rows, names)]),
        Section("Games", [figures.games(seen.rows, seen.players), Text(text)]),
    ]


def _phases(seen: Seen) -> list[Item]:
    if not seen.costs or not seen.costs[-1].samples:
        return []
    items: list[Item] = [figures.phases(seen.costs, str(seen.gate))]
    gains = gains_of(seen.ladder)
    if gains:
        text = (
            "What each phase’s expert adds alone: it plays among the experts of the rung before, "
            "against that rung."
        )
        rows = [
            {"version": version}
            | {phase: own[version].interval for phase, own in gains.items() if version in own}
            for version in next(iter(gains.values()))
        ]

        def column(phase: str) -> Column:
            return Column(
                phase,
                lambda row: row.get(phase),
                numbers.elo_interval,
            )

        columns = [Column("version", "version"), *map(column, gains)]
        caption = (
            "Elo over the rung before, by the phase whose expert is the new one, with 95 % "
            "intervals"
        )
        items += [Text(text), Table("gains", columns, rows, caption)]
    return [Section("Phases", items)]


def _time(seen: Seen) -> list[Item]:
    if not seen.costs:
        return []
    rates = _rates(seen.costs)
    speeds = [Table.of_pairs("speeds", rates, ("speed", "value"))] if rates else []
    return [Section("Time", [figures.costs(seen.costs), *speeds])]


def _terms(seen: Seen) -> str:
    terms = {"round": "games by the best version, learning from the replay, a new version"}
    terms |= {score.name: score.meaning for score, _ in _scores(seen) if score.meaning}
    terms["search and planes"] = (
        "the part of playing that is not the network: trees, rules, input planes, records"
    )
    return "\n".join(f"- **{name.capitalize()}**: {text}." for name, text in terms.items())


def _limits(seen: Seen) -> Text:
    limits = ["One training: another seed gives other curves."]
    if _scores(seen):
        positions = numbers.count(seen.config.watching.probe_positions)
        limits.append(
            f"Probes of a run that goes on use few positions ({positions}): their numbers have an "
            "error of some percent."
        )
    limits.append(
        "Times are those of this machine, with whatever else ran on it; what a killed session "
        "spent in its last round is in none."
    )
    return Text("\n".join(f"- {limit}" for limit in limits))


def probe_lines(rows: Sequence[ProbeRow]) -> dict[str, list[Line]]:
    """Return points by score and by who was measured, of the settings that were used last."""
    points: dict[str, dict[str, dict[int, float]]] = {}
    last = {name: row.settings for row in rows for name in row.numbers}
    for row in rows:
        for name, found in row.numbers.items():
            if row.settings != last[name]:
                continue
            for who, number in found.items():
                points.setdefault(name, {}).setdefault(who, {})[row.version] = number
    return {
        name: [
            (who, [float(version) for version in sorted(own)], [own[v] for v in sorted(own)])
            for who, own in by_whom.items()
        ]
        for name, by_whom in points.items()
    }


def headline(seen: Seen) -> str:
    """Return where the run stands, in one sentence."""
    last, count = seen.rows[-1], numbers.count
    begun = f"After {count(last.update)} of {count(seen.config.updates)} rounds"
    if seen.is_whole:
        begun = f"After all {count(last.update)} rounds"
    scores = _scores(seen)
    if not scores:
        return f"{begun}: {count(last.games)} games, {count(last.learned)} samples learned from"
    score, lines = scores[0]
    found = []
    for who, _, values in lines:
        number = numbers.percent(values[-1]) if score.unit == "%" else f"{values[-1]:.3g}"
        found.append(f"{number} with {who}" if who else number)
    return f"{begun}: {score.name} {', '.join(found)}".replace("with network", "by the network")


def _spent(costs: Sequence[CostRow]) -> dict[str, float]:
    found: dict[str, float] = {}
    for row in costs:
        for name, seconds in row.parts.items():
            found[name] = found.get(name, 0.0) + seconds
    return found


def _rates(costs: Sequence[CostRow]) -> list[tuple[str, str]]:
    """Return speeds over all rounds."""
    count, decimal, percent = numbers.count, numbers.decimal, numbers.percent
    playing = sum(row.seconds.get("playing", 0.0) for row in costs)
    wall, calls = sum(row.wall for row in costs), sum(row.calls for row in costs)
    if playing <= 0 or wall <= 0:
        return []
    rows, games = sum(row.rows for row in costs), sum(row.games for row in costs)
    inference = sum(row.parts["inference"] for row in costs)
    return [
        ("games a second of playing", decimal(games / playing, 2)),
        ("plies a second of playing", count(sum(row.plies for row in costs) / playing)),
        ("positions answered a second of playing", count(rows / playing)),
        ("positions answered a second of inference", count(rows / max(inference, 1e-9))),
        ("positions a call", decimal(rows / max(calls, 1), 1)),
        ("share of playing that is inference", percent(inference / playing)),
        ("processors busy, in the mean", decimal(sum(row.cpu for row in costs) / wall, 2)),
    ]


def _settings(config: SelfPlayConfig) -> list[tuple[str, Any]]:
    """Return every setting, those of parts by their path."""
    found: list[tuple[str, Any]] = []
    for name, value in jsonable.plain(config).items():
        if isinstance(value, dict):
            found += [(f"{name}.{part}", own) for part, own in value.items()]
        else:
            found.append((name, value))
    return found


def _command() -> str:
    """Return the command line of the run; of a user's program, its name alone."""
    program, *rest = sys.argv or [""]
    name = Path(program).name
    if name in ("__main__.py", "phasezoo") and rest:
        return shlex.join(["phasezoo", *rest])
    return f"python {name}" if name.endswith(".py") else "SelfPlay(…).run()"
