"""The run's tables on the console."""

from collections.abc import Sequence

from phasezoo.experiments import claims
from phasezoo.experiments.atomic import story
from phasezoo.experiments.atomic.results import Results
from phasezoo.experiments.console import Console
from phasezoo.experiments.learning import Course, Meeting
from phasezoo.report import numbers

__all__ = ["show_claims", "show_courses", "show_meetings"]


def show_courses(console: Console, courses: Sequence[Course]) -> None:
    """What each variant of learning came to."""
    rows = []
    for course in courses:
        last = course.rounds[-1]
        rows.append(
            [
                course.name,
                numbers.count(last.games),
                numbers.count(last.learnt),
                numbers.decimal(last.policy_loss),
                numbers.decimal(last.value_mse),
                numbers.duration(course.seconds),
            ]
        )
    head = ["", "games", "samples learnt", "policy loss", "value loss", "time"]
    console.table("Learning by play", head, rows)


def show_meetings(console: Console, meetings: Sequence[Meeting]) -> None:
    """The matches."""
    rows = [
        [
            f"{one.first} v {one.second}",
            f"+{one.wins} ={one.draws} −{one.losses}",
            numbers.percent(one.score.value),
            numbers.elo_interval(one.elo),
        ]
        for one in meetings
    ]
    console.table("Matches", ["", "games", "points", "Elo"], rows)


def show_claims(console: Console, results: Results) -> None:
    """Every claim with its verdict."""
    console.heading("The thesis’ claims")
    claims.show_claims(console, results.claims)
    console.note(f"{story.headline(results)}.")
