"""Stages that studies of learning by play have in common: a network that learns, and matches."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasezoo import arena
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.arena.statistics.rates import rate_of
from phasezoo.arena.statistics.ratings import Rating
from phasezoo.experiments.study import StudyRun
from phasezoo.report import numbers
from phasezoo.report.console import Console
from phasezoo.report.document import Column
from phasezoo.runs import RowLog
from phasezoo.training import SelfPlay, SelfPlayOutcome
from phasezoo.training.selfplay.measurements import LADDER, PROBES, ProbeRow, RungRow, elo_of


@dataclass(frozen=True)
class Round:
    """A round of playing and learning."""

    update: int
    """Which one, from 1."""
    games: int
    """Games of all rounds so far."""
    learnt: int
    """Samples that were learned from so far."""
    policy_loss: float | None
    """Mean over the round's samples, with what the search found as target."""
    value_mse: float | None
    """The same of the value, with the result as target."""
    plies: float
    """Mean length of its games."""
    playing: float
    """Seconds that its games took."""
    learning: float
    """Seconds that learning took."""


@dataclass(frozen=True)
class Probing:
    """A measurement of a version."""

    version: int
    """Which one, 0 the first weights."""
    score: str
    """Name of the quantity."""
    numbers: dict[str, float] = field(default_factory=dict)
    """By who was measured: the network alone, or with search."""


@dataclass(frozen=True)
class Course:
    """A network's run of learning."""

    name: str
    """Its name in the study."""
    rounds: list[Round]
    """Its rounds."""
    probes: list[Probing]
    """Measurements of its versions."""
    ladder: list[Rating]
    """Its versions' ratings by matches between them; version 0's is 0. Empty without matches."""

    @property
    def seconds(self) -> float:
        """Seconds of playing and learning, without measurements."""
        return sum(one.playing + one.learning for one in self.rounds)


@dataclass(frozen=True)
class Meeting:
    """A match between two players of a study, from the first one's view."""

    first: str
    """The one."""
    second: str
    """The other."""
    games: int
    """Games played."""
    wins: int
    """Games that the first won."""
    draws: int
    """Games that nobody won."""
    losses: int
    """Games that the first lost."""
    score: Interval
    """The first one's share of the points, with its 95 % interval."""
    elo: Interval
    """The same as a difference of ratings."""
    mover: Interval
    """The share of the points of who moves first, whichever of the two that is."""
    plies: float
    """Mean length of a game."""
    seconds: float
    """Time that the evaluators took, of both."""
    pairs: list[float]
    """The first one's share of the points in each pair of games from one opening."""


def result_columns(meeting_of: Callable[[Any], Meeting]) -> list[Column]:
    """Return the columns of a match's result."""
    return [
        Column("won", lambda row: meeting_of(row).wins),
        Column("drawn", lambda row: meeting_of(row).draws),
        Column("lost", lambda row: meeting_of(row).losses),
        Column("points", lambda row: meeting_of(row).score.value, numbers.percent),
        Column("Elo", lambda row: meeting_of(row).elo, numbers.elo_interval),
    ]


def learn(
    run: StudyRun[Any, Any], name: str, title: str, **options: Any
) -> tuple[Course, SelfPlayOutcome]:
    """Let a network learn by play as a stage of a study, or go on with it.

    Its run is in ``learn/NAME`` of the study's directory; its record is kept in
    ``courses/NAME.json``.

    Args:
        run: The study's run.
        name: Name of the network.
        title: Its full name, for progress.
        **options: As for :class:`phasezoo.training.SelfPlay`, but for its directory.

    Returns:
        The record of its training, and its versions.
    """
    outcome: SelfPlayOutcome | None = None

    def work() -> Course:
        nonlocal outcome
        outcome = _played(run, name, title, options)
        return _course_of(name, outcome)

    course = run.once(f"learn/{name}", f"courses/{name}.json", Course, work)
    # A run that had ended before is opened for its versions alone.
    return course, outcome or _played(run, name, title, options)


def _played(
    run: StudyRun[Any, Any], name: str, title: str, options: dict[str, Any]
) -> SelfPlayOutcome:
    config = options["config"]
    with run.console.task(title, config.updates * config.games_per_update) as task:

        def progress(event: Any) -> None:
            last = event.last
            loss = None if last is None else last.numbers.get("learn/policy_loss")
            task.update(event.done, "" if loss is None else f"policy loss {loss:.2f}")

        return SelfPlay(out=run.path / "learn" / name, progress=progress, **options).run()


def _course_of(name: str, outcome: SelfPlayOutcome) -> Course:
    """Return the record of a run of learning by play."""
    rounds = [
        Round(
            update=row.update,
            games=row.games,
            learnt=row.learnt,
            policy_loss=row.numbers.get("learn/policy_loss"),
            value_mse=row.numbers.get("learn/value_mse"),
            plies=row.numbers["games/mean_plies"] or 0.0,
            playing=row.numbers["time/playing"] or 0.0,
            learning=row.numbers["time/learning"] or 0.0,
        )
        for row in outcome.updates
    ]
    measured: RowLog[ProbeRow] = RowLog(outcome.path / PROBES, ProbeRow)
    probes = [
        Probing(row.version, score, numbers)
        for row in sorted(measured.rows, key=lambda row: row.version)
        for score, numbers in row.numbers.items()
    ]
    rungs: RowLog[RungRow] = RowLog(outcome.path / LADDER, RungRow)
    ladder = [
        dataclasses.replace(rating, name=str(version))
        for version, rating in sorted(elo_of(rungs.rows).items())
    ]
    return Course(name, rounds, probes, ladder)


def meet(
    players: Mapping[str, Any], log: Path, console: Console, *, games: int, **options: Any
) -> Meeting:
    """Play a match between two, or go on with the games in ``log``."""
    first, second = players
    with console.task(f"{first} against {second}", games) as task:
        match = arena.play_match(
            players[first],
            players[second],
            games=games,
            names=(first, second),
            log=log,
            progress=lambda done, _: task.update(done),
            **options,
        )
    by_mover = [
        record.score if record.sides.index(0) == 0 else 1 - record.score for record in match.games
    ]
    return Meeting(
        first=first,
        second=second,
        games=len(match.games),
        wins=match.wins,
        draws=match.draws,
        losses=match.losses,
        score=match.score_rate,
        elo=match.elo,
        mover=rate_of([sum(pair) / 2 for pair in zip(*[iter(by_mover)] * 2, strict=True)], 2),
        plies=sum(record.plies for record in match.games) / len(match.games),
        seconds=sum(side.counts.seconds for side in match.sides),
        pairs=list(match.group_scores),
    )
