"""What the search does and costs: collisions, batches, the parts of a move."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from phasezoo import agents, arena, games
from phasezoo.agents import Limit, SearchConfig
from phasezoo.experiments.atomic.config import AtomicConfig
from phasezoo.experiments.atomic.results import BatchRow, CollisionRow, MoveCost

__all__ = ["STYLES", "batch_rows", "collision_rows", "move_cost", "searched"]

STYLES = {"none": "no virtual loss", "virtual_loss": "virtual loss"}
"""How descents that wait are counted, and how the report calls it."""

_CALLS = 5
"""Of each batch size; the median counts."""


def searched(style: str, batch: int, **changes: Any) -> SearchConfig:
    """The search of the measurements: the thesis' Q of 0 for unvisited moves, batches of leaves."""
    values: dict[str, Any] = {
        "virtual_style": style,
        "batch_size": batch,
        "fpu": 0.0,
        "fpu_style": "absolute",
    }
    return SearchConfig(**{**values, **changes})


def collision_rows(evaluator: Any, config: AtomicConfig) -> list[CollisionRow]:
    """Collisions and rows a call of single searches, with and without virtual loss."""
    found = []
    for style in STYLES:
        for simulations in config.simulations:
            agent = _agent(evaluator, style, simulations, config)
            results = [agent.search(state) for state in _positions(config)]
            seconds = sum(result.seconds for result in results)
            found.append(
                CollisionRow(
                    style=style,
                    simulations=simulations,
                    collisions=float(np.mean([result.collisions for result in results])),
                    rate=sum(result.simulations for result in results) / seconds,
                )
            )
    return found


def batch_rows(evaluator: Any, config: AtomicConfig) -> list[BatchRow]:
    """Positions a second of the network by the rows of a call."""
    states = _positions(config)
    found = []
    for rows in config.batches:
        planes = games.encode([states[i % len(states)] for i in range(rows)], evaluator.plane_spec)
        evaluator.evaluate(planes)
        times = []
        for _ in range(_CALLS):
            started = time.perf_counter()
            evaluator.evaluate(planes)
            times.append(time.perf_counter() - started)
        found.append(BatchRow(rows, rows / float(np.median(times))))
    return found


def move_cost(evaluator: Any, config: AtomicConfig) -> MoveCost:
    """Where the time of a move goes, at the most simulations that are measured."""
    simulations = config.simulations[-1]
    agent = _agent(evaluator, "virtual_loss", simulations, config)
    states = _positions(config)
    seats = agent.seats(games.make("atomic"), pool_rows=config.search_batch)
    started = time.perf_counter()
    for number, state in enumerate(states):
        seats.ask(seats.open(number), state, state.to_play)
        while not seats.poll():
            pass
    total = (time.perf_counter() - started) / len(states)
    network = seats.counts.seconds / len(states)
    return MoveCost(
        simulations=simulations,
        network_ms=1e3 * network,
        search_ms=1e3 * (total - network),
        moves_ms=1e3 * simulations * _seconds_of_legal_moves(states),
    )


def _agent(evaluator: Any, style: str, simulations: int, config: AtomicConfig) -> agents.MCTSAgent:
    """Who searches; a proof would end a search early, and then there is less to count."""
    return agents.MCTSAgent(
        evaluator,
        limit=Limit(simulations=simulations),
        config=searched(style, config.search_batch, solver=False),
        game="atomic",
        seed=config.seed,
        threads=config.threads,
    )


def _seconds_of_legal_moves(states: Sequence[Any]) -> float:
    """Of one position, asked for from Python: more than the search itself needs."""
    rng = np.random.default_rng(1)
    fresh = [
        state.play(int(rng.choice(state.legal_actions))) for state in states for _ in range(20)
    ]
    started = time.perf_counter()
    for state in fresh:
        _ = state.legal_actions
    return (time.perf_counter() - started) / len(fresh)


def _positions(config: AtomicConfig) -> list[Any]:
    """Positions after the package's openings."""
    suite = arena.OpeningSuite.load("atomic")
    return [suite.state(index % len(suite)) for index in range(config.search_positions)]
