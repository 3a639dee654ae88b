"""The run's tables on the console."""

from phasezoo.experiments import claims
from phasezoo.experiments.beam import story
from phasezoo.experiments.beam.results import Results
from phasezoo.report import numbers
from phasezoo.report.console import Console

__all__ = ["show_results"]


def show_results(console: Console, results: Results) -> None:
    """Rates, games, matches, and every claim with its verdict."""
    rows = [
        [
            rate.name if rate.with_network else f"{rate.name}, no network",
            numbers.count(rate.rows_a_second),
            numbers.count(rate.calls),
            f"{rate.rows_of_one / rate.calls:.1f}",
        ]
        for rate in results.rates
    ]
    console.table("Rates", ["", "positions/s", "calls", "rows a call"], rows)
    rows = [
        [
            one.name,
            numbers.count(one.plies),
            numbers.count(one.searched),
            f"{one.plies / one.seconds:.1f}",
            numbers.plain_interval(one.distinct),
            f"{one.entropy:.2f}",
        ]
        for one in results.played
    ]
    head = ["", "plies", "searched", "plies/s", "own positions", "bits"]
    console.table("Self-play", head, rows)
    rows = [
        [
            f"at {one.name}",
            f"{one.wins} = {one.draws} − {one.losses}",
            numbers.elo_interval(one.elo),
        ]
        for one in results.matches
    ]
    console.table("Beam against MCTS", ["", "won = drawn − lost", "Elo"], rows)
    rows = [
        [
            str(one.steps),
            numbers.plain_interval(one.divergence, 3),
            numbers.plain_interval(one.changed, 3),
        ]
        for one in results.stale
    ]
    console.table("Steps a cycle", ["", "divergence, nats", "other likeliest move"], rows)
    console.heading("The note's claims")
    claims.show_claims(console, results.claims)
    console.note(f"{story.headline(results)}.")
