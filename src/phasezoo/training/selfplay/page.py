"""``report.html`` of a run of self-play, which grows while it learns."""

import importlib.util
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasezoo.arena.ratings import Rating
from phasezoo.runs import Provenance, jsonable
from phasezoo.runs.directory import read_record
from phasezoo.runs.files import describe_disk_errors, write_whole
from phasezoo.training.score import Score
from phasezoo.training.selfplay.config import SelfPlayConfig
from phasezoo.training.selfplay.costs import CostRow
from phasezoo.training.selfplay.outcome import Update
from phasezoo.training.selfplay.watch import ProbeRow, RungRow, elo_of, gains_of

__all__ = ["REPORT", "Page", "Seen"]

REPORT = "report.html"

REFRESH_S = 30
"""A browser loads the page again after so many seconds while the run goes on."""

PATIENCE = 20
"""The page is not written again before so many times the time that writing it took."""


@dataclass(frozen=True)
class Seen:
    """All that is known of a run now."""

    config: SelfPlayConfig
    """Its knobs."""
    game: str
    """What is played."""
    players: int
    """Players of a game."""
    network: str
    """Architecture."""
    parameters: int
    """Parameters of a network."""
    gate: str | None
    """What names the phases of experts; None: one network."""
    learners: tuple[str, ...]
    """Names of the learners; none if there is one alone."""
    scores: tuple[Score, ...]
    """What probes tell."""
    rows: Sequence[Update] = ()
    """The rounds that have ended."""
    probes: Sequence[ProbeRow] = ()
    """What probes told."""
    ladder: Sequence[RungRow] = ()
    """Matches between versions."""
    costs: Sequence[CostRow] = ()
    """What rounds cost."""
    is_stopped: bool = False
    """Whether the run was stopped, or failed, after the last of the rounds."""

    @property
    def is_whole(self) -> bool:
        """Whether the run has come to its end."""
        return len(self.rows) >= self.config.updates


class Page:
    """Writes the page of a run, whole or not at all.

    Without matplotlib and jinja2 (extra ``plot``) there is none.

    Args:
        out: The run's directory.
        kind: What its record calls the run.
    """

    def __init__(self, out: Path, kind: str) -> None:
        self._out = out
        self._kind = kind
        self._is_possible = all(map(importlib.util.find_spec, ("matplotlib", "jinja2")))
        self._next = 0.0

    def write(self, seen: Seen) -> None:
        """Write the page, unless it was written just now and the run goes on.

        Raises:
            RunDirectoryError: The disk is full or cannot be written.
        """
        began = time.perf_counter()
        goes_on = not (seen.is_whole or seen.is_stopped)
        if not self._is_possible or not seen.rows or (began < self._next and goes_on):
            return
        text = rendered(self._out, self._kind, seen)
        with describe_disk_errors(self._out):
            write_whole(self._out / REPORT, text)
        now = time.perf_counter()
        self._next = now + PATIENCE * (now - began)


@dataclass(frozen=True)
class _Results:
    """What the frame of all reports shows."""

    config: SelfPlayConfig
    provenance: Provenance
    date: str
    command: str
    seconds: Mapping[str, float]
    seen: Seen
    elo: Mapping[int, Rating] = field(default_factory=dict)


def rendered(out: Path, kind: str, seen: Seen) -> str:
    """The page as text."""
    from phasezoo.report import html
    from phasezoo.training.selfplay import curves

    record = read_record(out, kind)
    assert record is not None  # the run is in it
    elo = elo_of(seen.ladder)
    results = _Results(
        seen.config,
        record.provenance,
        record.date,
        _command(),
        _spent(seen.costs),
        seen,
        elo,
    )
    drawings: dict[str, Any] = {}
    lines = probe_lines(seen.probes)
    told = [score for score in seen.scores if score.name in lines]
    if told:
        drawings["probes"] = curves.probes(told, lines)
    if len(elo) > 1:
        drawings["ladder"] = curves.ladder(elo)
    names = {f"{name}/": name for name in seen.learners} or {"": "network"}
    drawings["losses"] = curves.losses(seen.rows, names)
    drawings["games"] = curves.games(seen.rows, seen.players)
    if seen.costs:
        drawings["costs"] = curves.costs(seen.costs)
        if seen.costs[-1].samples:
            drawings["phases"] = curves.phases(seen.costs)
    return html.render(
        __package__,
        results,
        headline(seen, told),
        settings=_settings(seen.config),
        drawings=drawings,
        refresh=None if seen.is_whole or seen.is_stopped else REFRESH_S,
        told=told,
        lines=lines,
        gains=gains_of(seen.ladder),
        last=seen.rows[-1],
        wall=sum(row.wall for row in seen.costs),
        rates=_rates(seen.costs),
    )


def probe_lines(rows: Sequence[ProbeRow]) -> dict[str, list[tuple[str, list[float], list[float]]]]:
    """Points by score and by who was measured, of the settings that were used last."""
    points: dict[str, dict[str, dict[int, float]]] = {}
    last = {name: row.settings for row in rows for name in row.numbers}
    for row in rows:
        for name, numbers in row.numbers.items():
            if row.settings != last[name]:
                continue
            for who, number in numbers.items():
                points.setdefault(name, {}).setdefault(who, {})[row.version] = number
    return {
        name: [
            (who, [float(version) for version in sorted(own)], [own[v] for v in sorted(own)])
            for who, own in by_whom.items()
        ]
        for name, by_whom in points.items()
    }


def headline(seen: Seen, scores: Sequence[Score]) -> str:
    """Where the run stands, in one sentence."""
    from phasezoo.report.numbers import count, percent

    last = seen.rows[-1]
    begun = f"After {count(last.update)} of {count(seen.config.updates)} rounds"
    if seen.is_whole:
        begun = f"After all {count(last.update)} rounds"
    if not scores:
        return f"{begun}: {count(last.games)} games, {count(last.learnt)} samples learnt from."
    score = scores[0]
    found = []
    for who, _, values in probe_lines(seen.probes)[score.name]:
        number = percent(values[-1]) if score.unit == "%" else f"{values[-1]:.3g}"
        found.append(f"{number} with {who}" if who else number)
    return f"{begun}: {score.name} {', '.join(found)}.".replace("with network", "by the network")


def _spent(costs: Sequence[CostRow]) -> dict[str, float]:
    found: dict[str, float] = {}
    for row in costs:
        for name, seconds in row.parts.items():
            found[name] = found.get(name, 0.0) + seconds
    return found


def _rates(costs: Sequence[CostRow]) -> list[tuple[str, str]]:
    """Speeds over all rounds."""
    from phasezoo.report.numbers import count, decimal, percent

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
    """Every knob, those of parts by their path."""
    found: list[tuple[str, Any]] = []
    for name, value in jsonable.plain(config).items():
        if isinstance(value, dict):
            found += [(f"{name}.{part}", own) for part, own in value.items()]
        else:
            found.append((name, value))
    return found


def _command() -> str:
    """What was typed, of a program the program alone."""
    program, *rest = sys.argv or [""]
    name = Path(program).name
    if name in ("__main__.py", "phasezoo") and rest:
        return shlex.join(["phasezoo", *rest])
    return f"python {name}" if name.endswith(".py") else "SelfPlay(…).run()"
