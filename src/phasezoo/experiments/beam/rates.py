"""How many rows go out together, and how fast they come."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from phasezoo import games, inference
from phasezoo.agents import BeamConfig
from phasezoo.arena.intervals import Interval
from phasezoo.arena.openings import as_suite
from phasezoo.experiments.beam import paper
from phasezoo.experiments.beam.config import BeamStudyConfig
from phasezoo.experiments.beam.results import Batches, Rate
from phasezoo.experiments.beam.searchers import BEAM, MCTS, beam_of, mcts_of
from phasezoo.experiments.statistics import between_trainings

__all__ = ["batches", "faster", "measured", "playing_rates"]


PACE = 8
"""Searches of the beam that plays for one of the beam that is measured, which is larger."""


class _Counting:
    """An evaluator that knows nothing and keeps the sizes of its batches."""

    plane_spec = None

    def __init__(self) -> None:
        self.rows: list[int] = []

    def evaluate_batch(self, leaves: Any) -> inference.Evaluation:
        self.rows.append(len(leaves))
        return inference.Evaluation(value=np.zeros(len(leaves), dtype=np.float32))


def batches(config: BeamStudyConfig) -> Batches:
    """Rows by call of a block of games of chess, which begin anew where one ends."""
    found = []
    for stagger in (True, False):
        evaluator = _Counting()
        agent = beam_of(evaluator, config.beam, stagger=stagger)
        for _ in _searches(agent, config.seed, None):
            if len(evaluator.rows) >= config.ticks:
                break
        found.append(evaluator.rows[: config.ticks])
    return Batches(*found)


def measured(config: BeamStudyConfig, network: Any) -> list[Rate]:
    """The rates of every search, at the beam's positions a move."""
    beam = config.beam
    searches = {
        BEAM: lambda evaluator: beam_of(evaluator, beam),
        MCTS: lambda evaluator: mcts_of(evaluator, beam.positions),
        f"{MCTS}, 16 leaves a tree": lambda evaluator: mcts_of(evaluator, beam.positions, 16),
    }
    return [
        _rate((config, config.moves), name, make, evaluator, with_network=evaluator is network)
        for evaluator in (network, inference.Uniform())
        for name, make in searches.items()
    ]


def _rate(
    size: tuple[BeamStudyConfig, int], name: str, make: Any, evaluator: Any, *, with_network: bool
) -> Rate:
    config, moves = size
    wanted = moves * paper.GAMES_OF_A_BLOCK
    seconds, rows, calls = [], [], []
    make(evaluator).search(games.make("chess").initial_state())  # what a first call costs
    for repeat in range(config.repeats):
        found = _searches(make(evaluator), config.seed + repeat, moves)
        started = time.perf_counter()
        for done, counts in enumerate(found, start=1):
            if done == wanted:
                seconds.append(time.perf_counter() - started)
                rows.append(counts.rows)
                calls.append(counts.calls)
                break
    return Rate(name, with_network, wanted, rows, float(np.mean(calls)), seconds)


def playing_rates(config: BeamStudyConfig, network: Any) -> tuple[float, float]:
    """Positions a second of the beam that plays, and of MCTS with as many a move."""
    playing: BeamConfig = config.playing
    found = [
        _rate((config, PACE * config.moves), name, make, network, with_network=True)
        for name, make in (
            (BEAM, lambda evaluator: beam_of(evaluator, playing)),
            (MCTS, lambda evaluator: mcts_of(evaluator, playing.positions)),
        )
    ]
    return found[0].rows_a_second, found[1].rows_a_second


def _searches(agent: Any, seed: int, moves: int | None) -> Iterator[Any]:
    """Counts after every search of a block of games from openings, each of ``moves`` searches."""
    chess = games.make("chess")
    suite = as_suite(None, "chess")
    seats = agent.seats(chess, pool_rows=paper.GAMES_OF_A_BLOCK * 4096)
    states, left = {}, {}
    rng = np.random.default_rng(seed)

    def begin() -> None:
        index = int(rng.integers(len(suite)))
        seat = seats.open(seed)
        states[seat], left[seat] = suite.states(index, 0, chess)[-1], moves
        seats.ask(seat, states[seat], states[seat].to_play)

    for _ in range(paper.GAMES_OF_A_BLOCK):
        begin()
    while states:
        for seat, move in seats.poll():
            states[seat] = states[seat].play(move.action)
            seats.tell(seat, move.action, states[seat])
            remaining = left[seat]
            left[seat] = None if remaining is None else remaining - 1
            if left[seat] == 0 or states[seat].is_terminal:
                seats.close(seat)
                del states[seat]
                if left[seat] != 0:
                    begin()
            else:
                seats.ask(seat, states[seat], states[seat].to_play)
            yield seats.counts


def faster(rates: list[Rate]) -> Interval:
    """Positions a second of the beam over those of MCTS, with the network; over measurements."""
    beam, mcts = (
        next(rate for rate in rates if rate.name == name and rate.with_network)
        for name in (BEAM, MCTS)
    )
    slow, fast = (np.array(rate.seconds) / np.array(rate.rows) for rate in (mcts, beam))
    ratios = np.log(slow / fast)
    half = between_trainings(ratios)
    mean = float(ratios.mean())
    return Interval(*np.exp([mean, mean - half, mean + half]).tolist())
