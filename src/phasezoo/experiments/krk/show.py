"""The run's tables on the console."""

from phasezoo.experiments.krk import story
from phasezoo.experiments.krk.curves import NAMES
from phasezoo.experiments.krk.results import Results
from phasezoo.report import numbers
from phasezoo.report.console import Console

__all__ = ["show_results"]


def show_results(console: Console, results: Results) -> None:
    """All games by variant, and every claim with its verdict."""
    rows = [
        [
            NAMES[v.variant],
            numbers.count(v.games),
            numbers.percent(v.won / v.games, 2),
            numbers.percent(v.gave_away_games / v.games, 2),
            f"{v.seconds / v.games:.2f} s",
        ]
        for v in results.variants
        if v.games
    ]
    console.table("Games", ["", "games", "won", "win given away", "time a game"], rows)
    if results.readings:
        head = ["", "games", "won", "moves", "change"]
        found = [
            [
                one.reading,
                numbers.count(one.games),
                numbers.percent(one.won / one.games, 1),
                numbers.plain_interval(one.length, 1),
                numbers.signed_interval(one.change, 1),
            ]
            for one in results.readings
        ]
        console.table("Readings", head, found)
    if results.endings:
        head = ["White has", "mate in", "games", "won", "moves", "DTM difference"]
        played = [
            [
                one.ending,
                str(one.mate_in),
                numbers.count(one.games),
                numbers.percent(one.won / one.games, 1),
                numbers.plain_interval(one.length, 1),
                numbers.plain_interval(one.difference, 3),
            ]
            for one in results.endings
        ]
        console.table("Endings", head, played)
    console.heading("The study's claims")
    for number, claim in story.claims_of(results):
        console.note(f"{number}  {claim.judgement:<11}  {claim.text}")
        console.note(f"     {claim.ours}")
    for figure in results.elsewhere:
        console.heading(figure.title)
        for claim in figure.claims:
            console.note(f"{claim.judgement:<11}  {claim.text}")
            console.note(f"     {claim.ours}")
    console.note(f"{story.headline(results)}.")
