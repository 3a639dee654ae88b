"""The run's tables on the console."""

from collections.abc import Sequence

from phasezoo.experiments import claims
from phasezoo.experiments.representation import story
from phasezoo.experiments.representation.results import (
    Dataset,
    Endings,
    Games,
    Latency,
    Losses,
    Results,
)
from phasezoo.report import numbers
from phasezoo.report.console import Console

__all__ = [
    "show_claims",
    "show_dataset",
    "show_endings",
    "show_games",
    "show_latency",
    "show_losses",
]


def show_dataset(console: Console, data: Dataset) -> None:
    """The games."""
    parts = zip(("train", "validation", "test"), data.games, data.positions, strict=True)
    rows = [[name, numbers.count(games), numbers.count(rows)] for name, games, rows in parts]
    console.table(f"Games: {data.source}", ["", "games", "positions"], rows)


def show_losses(console: Console, losses: Losses) -> None:
    """Every table of losses."""
    for table in losses.tables:
        rows = [
            [
                story.short(row.label),
                str(row.trainings),
                f"{row.multiply_adds / 1e6:.2f} M",
                numbers.plain_interval(row.metrics["total"], 3),
                numbers.plain_interval(row.metrics["value"], 3),
                numbers.percent(story.value_of(row.metrics["accuracy"])),
            ]
            for row in table.rows
        ]
        head = ["", "trainings", "multiply-adds", "total loss", "value loss", "accuracy"]
        console.table(story.TABLES[table.name], head, rows)


def show_latency(console: Console, latency: Sequence[Latency]) -> None:
    """Microseconds of a position."""
    columns = list(dict.fromkeys((one.backend, one.batch) for one in latency))
    times = {(one.arm, one.backend, one.batch): one.microseconds.value for one in latency}
    rows = [
        [arm, *(numbers.decimal(times[arm, *column], 1) for column in columns)]
        for arm in dict.fromkeys(one.arm for one in latency)
    ]
    head = ["", *(f"{backend} {batch}" for backend, batch in columns)]
    console.table("Microseconds a position", head, rows)


def show_endings(console: Console, endings: Endings | None) -> None:
    """Mean |value| by arm and outcome."""
    if endings is None:
        return
    rows = [
        [
            one.arm,
            one.outcome,
            numbers.plain_interval(one.alone, 3),
            numbers.plain_interval(one.searched, 3),
        ]
        for one in endings.rows
    ]
    head = ["", "", "mean |value|", f"of a search of {endings.nodes} nodes"]
    console.table("Endings of opposite bishops", head, rows)


def show_games(console: Console, games: Sequence[Games]) -> None:
    """Every duel."""
    for one in games:
        rows = [
            [
                f"{duel.first} v {duel.second}",
                f"+{duel.wins} ={duel.draws} −{duel.losses}",
                numbers.elo_interval(duel.elo.elo),
            ]
            for duel in one.duels
        ]
        console.table(f"Games, {one.limit} a move", ["", "games", "Elo"], rows)


def show_claims(console: Console, results: Results) -> None:
    """Every claim with its verdict."""
    console.heading("The paper’s claims")
    claims.show_claims(console, results.claims)
    console.note(f"{story.headline(results)}.")
