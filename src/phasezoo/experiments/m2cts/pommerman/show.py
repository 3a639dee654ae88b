"""The run's tables on the console."""

from collections.abc import Sequence

from phasezoo.experiments.m2cts.pommerman import story
from phasezoo.experiments.m2cts.pommerman.results import Dataset, LossRow, Results
from phasezoo.report import numbers
from phasezoo.report.console import Console

__all__ = ["show_dataset", "show_losses", "show_records"]


def show_dataset(console: Console, dataset: Dataset) -> None:
    """Episodes, positions and phases."""
    rows = [
        [name, numbers.count(episodes), numbers.count(positions)]
        for name, episodes, positions in zip(
            ("train", "validation", "test"), dataset.episodes, dataset.positions, strict=True
        )
    ]
    console.table("Episodes of four SimpleUnbiasedAgents", ["", "episodes", "positions"], rows)
    for phases in dataset.phases:
        console.note(f"{phases.gate}: {story.shares(phases)}.")


def show_losses(console: Console, losses: Sequence[LossRow]) -> None:
    """Who errs how much on test positions."""
    rows = [
        [
            row.name,
            numbers.decimal(row.policy),
            numbers.decimal(row.value),
            numbers.percent(row.accuracy),
            numbers.signed_interval(row.difference, 4),
        ]
        for row in losses
    ]
    head = ["", "policy loss", "value loss", "accuracy", "total loss − one network's"]
    console.table("Test positions", head, rows)


def show_records(console: Console, results: Results) -> None:
    """Win rates, their differences, and the paper's claims."""
    rows = [
        [
            record.name,
            str(record.simulations),
            numbers.count(record.games),
            story.share(record.win_rate),
            numbers.percent(record.drawn / record.games),
            numbers.decimal(record.steps, 0),
            story.points(record.difference),
            story.points(record.to_placebo),
        ]
        for record in results.records
    ]
    head = ["", "simulations", "games", "won", "drawn", "steps", "− one network", "− placebo"]
    console.table(story.title(results.config), head, rows)
    for claim in results.claims:
        console.note(f"{claim.judgement:<11}  {claim.text} Ours: {claim.ours}.")
    console.note(f"{story.headline(results)}.")
