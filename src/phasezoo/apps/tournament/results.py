"""What a match or tournament leaves in its directory: JSON, CSV and a page."""

import csv
import io
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from phasezoo.arena import Match, SideStats, Standings
from phasezoo.arena.frames import without_infinite
from phasezoo.arena.summary import kinds_line
from phasezoo.report import numbers
from phasezoo.report.html import render
from phasezoo.runs import Provenance, RunDirectory

__all__ = ["write_results"]


@dataclass(frozen=True)
class _Report:
    """What the page shows."""

    config: Any
    provenance: Provenance
    date: str
    command: str
    seconds: Mapping[str, float]
    standings: Standings

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Why games ended, the most frequent first."""
        return Counter(record.reason for record in self.standings.games).most_common()


def write_results(run: RunDirectory, standings: Standings, options: Any, seconds: float) -> None:
    """Write ``results.json``, ``players.csv``, ``games.csv`` and ``report.html``.

    Args:
        run: The open directory.
        standings: What came of the games.
        options: The command's options.
        seconds: How long the games took, since the command was last begun.

    Raises:
        RunDirectoryError: The directory cannot be written.
    """
    run.write_json("results.json", standings.to_dict())
    run.write_text("players.csv", _csv(standings.rows()))
    run.write_text("games.csv", _csv(standings.games_rows()))
    report = _Report(
        config=options,
        provenance=run.record.provenance,
        date=run.record.date,
        command=f"{options.command} --out {shlex.quote(str(run.path))}",
        seconds={"games": seconds},
        standings=standings,
    )
    run.write_text("report.html", _page(report))


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in map(without_infinite, rows):
        writer.writerow({key: _cell(value) for key, value in row.items()})
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return " ".join("-" if each is None else str(each) for each in value)
    return value


def _page(report: _Report) -> str:
    from phasezoo.apps.tournament import drawings

    standings = report.standings
    return render(
        "phasezoo.apps.tournament",
        report,
        _headline(report),
        verdict=_verdict(standings),
        names=standings.names,
        drawings=drawings.of(standings),
        met=lambda a, b: standings.crosstable.get((standings.names[a], standings.names[b])),
        interval=lambda place: _interval(standings, place),
        counts=_counts,
        experts=[row for side in standings.sides for row in _experts(side)],
        off_phase=_off_phase,
    )


def _headline(report: _Report) -> str:
    standings = report.standings
    if len(standings.names) == 2:
        return _of_match(standings.as_match())
    if standings.trainings is not None:
        return kinds_line(standings)
    first = standings.ranking[0]
    line = standings.lines[first]
    return f"{line.name} leads with {line.points:g} points of {line.games} games"


def _verdict(standings: Standings) -> str:
    """Whether the games tell who of the best two is stronger, by their ratings."""
    first, second = (standings.names[place] for place in standings.ranking[:2])
    match = standings.crosstable.get((first, second))
    if match is None or match.num_players != 2:
        return f"{first} is rated first, {second} second."
    # The headline of a match has the difference already.
    said = "" if len(standings.names) == 2 else f": Elo {match.elo}"
    if match.elo.low > 0:
        return f"Their games say that {first} is stronger than {second}{said}."
    return f"Their games do not tell whether {first} or {second} is stronger{said}."


def _of_match(match: Match) -> str:
    first, second = match.sides
    said = f"{first.name} scored {match.score:.1%} against {second.name}"
    return f"{said}: Elo {match.elo}" if match.num_players == 2 else said


def _interval(standings: Standings, place: int) -> str:
    if place == standings.anchor:
        return numbers.ABSENT
    interval = standings.ratings[place].interval
    return numbers.span(interval, 0) if interval.is_known else "too few games"


def _counts(match: Match) -> str:
    return f"+{match.wins} ={match.draws} \N{MINUS SIGN}{match.losses}"


class _Expert(NamedTuple):
    """What one expert of a player's mixture answered."""

    player: str
    expert: str
    rows: int
    share: float
    calls: int
    mean_rows: float


def _experts(side: SideStats) -> list[_Expert]:
    """The experts of a player in the order of their phases' first rows; none without a mixture."""
    counts = side.counts
    in_all = max(sum(counts.expert_rows.values()), 1)
    return [
        _Expert(side.name, name, rows, rows / in_all, calls, rows / max(calls, 1))
        for name, rows in counts.expert_rows.items()
        for calls in [counts.expert_calls[name]]
    ]


def _off_phase(side: SideStats) -> str:
    return numbers.percent(side.off_phase_share) if side.routing else numbers.ABSENT
