"""The report's sentences."""

from phasezoo.experiments.beam.results import Results
from phasezoo.report import numbers

__all__ = ["headline", "introduction"]


def headline(results: Results) -> str:
    """The main result as one line."""
    first, second = results.matches
    return (
        f"Beam search is {numbers.elo_interval(first.elo)} Elo from MCTS at {first.name}, "
        f"{numbers.elo_interval(second.elo)} at {second.name}, and sees "
        f"{numbers.decimal(results.faster.value, 2)} times as many positions a second"
    )


def introduction(results: Results) -> str:
    """What was run and how long it took."""
    config, run = results.config, results.provenance
    games = sum(one.games for one in results.matches) + sum(one.games for one in results.played)
    return (
        f"Beam search and MCTS searched chess with one small network, {config.network}. Batches "
        f"and rates are of the note’s beam, {numbers.count(config.beam.positions)} positions a "
        f"move, and of MCTS with as many; {numbers.count(games)} games were played by beams of "
        f"{numbers.count(config.playing.positions)} positions ({config.play_schedule}) and MCTS "
        f"with as many, or as it sees in the same time. It took "
        f"{numbers.duration(sum(results.seconds.values()))} on {run.processor} with "
        f"{run.threads} threads."
    )
