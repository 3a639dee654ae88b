"""The run's tables on the console."""

from collections.abc import Sequence

from phasezoo.experiments import claims
from phasezoo.experiments.m2cts.scratch import story
from phasezoo.experiments.m2cts.scratch.results import Advantage, Results
from phasezoo.report import numbers
from phasezoo.report.console import Console

__all__ = ["show_advantages", "show_claims"]


def show_advantages(console: Console, advantages: Sequence[Advantage]) -> None:
    """Experts beside one network, by strategy and round."""
    rows = []
    for one in advantages:
        wins, draws, losses = (
            sum(getattr(meeting, name) for meeting in one.meetings)
            for name in ("wins", "draws", "losses")
        )
        games = f"+{wins} ={draws} −{losses}"
        rows.append([one.strategy, str(one.update), games, numbers.elo_interval(one.elo)])
    console.table("Experts against one network", ["", "rounds", "games", "Elo"], rows)


def show_claims(console: Console, results: Results) -> None:
    """Every claim with its verdict."""
    console.heading("The paper’s claims")
    claims.show_claims(console, results.claims)
    console.note(f"{story.headline(results)}.")
