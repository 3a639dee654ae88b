"""Networks that learn by play as stages of a study."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from phasezoo.arena.statistics.ratings import Rating
from phasezoo.experiments.study import StudyRun
from phasezoo.report import numbers, plots
from phasezoo.report.document import Figure
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
    learned: int = field(metadata={"once": "learnt"})
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
class LearningRun:
    """A network's training by self-play."""

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


def learn(
    run: StudyRun[Any, Any], name: str, title: str, **options: Any
) -> tuple[LearningRun, SelfPlayOutcome]:
    """Let a network learn by play as a stage of a study, or go on with it.

    Its run is in ``learn/NAME`` of the study's directory; its record is kept in
    ``courses/NAME.json``.

    Returns:
        The record of its training, and its versions.
    """
    outcome: SelfPlayOutcome | None = None

    def work() -> LearningRun:
        nonlocal outcome
        outcome = _played(run, name, title, options)
        return _record_of(name, outcome)

    record = run.once(f"learn/{name}", LearningRun, work, file=f"courses/{name}.json")
    # A run that had ended before is opened for its versions alone.
    return record, outcome or _played(run, name, title, options)


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


def _record_of(name: str, outcome: SelfPlayOutcome) -> LearningRun:
    """Return the record of a run of learning by play."""
    rounds = [
        Round(
            update=row.update,
            games=row.games,
            learned=row.learned,
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
    return LearningRun(name, rounds, probes, ladder)


def ladder_figure(training: LearningRun, whose: str, zero: str) -> Figure:
    """Show the ratings of versions by games played, with their intervals."""

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 2.9)
        games = {0: 0, **{one.update: one.games for one in training.rounds}}
        x = [games[int(rating.name)] for rating in training.ladder]
        found = [rating.interval for rating in training.ladder]
        plots.with_intervals(plot, x, found, "", plots.PHASE)
        plot.set_xlabel("games played")
        plot.set_ylabel(f"Elo above {zero}")
        return figure

    caption = f"Ratings of {whose} by matches between its versions; bars are 95 % intervals."
    words = ", ".join(f"version {r.name}: {numbers.signed(r.value, 0)}" for r in training.ladder)
    return Figure("ladder", draw, caption, f"Ratings by games played. {words}.")
