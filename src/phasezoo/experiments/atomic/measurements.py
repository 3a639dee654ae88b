"""Measurements of learning and of the search, and the records that a report shows."""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax

from phasezoo import agents, arena, games, inference
from phasezoo.agents import Limit, SearchConfig
from phasezoo.experiments.atomic.config import AtomicConfig
from phasezoo.experiments.learning import LearningRun
from phasezoo.experiments.matches import MatchSummary
from phasezoo.experiments.side_by_side import Processes
from phasezoo.experiments.study import RunResults
from phasezoo.experiments.timing import stopwatch
from phasezoo.report.console import Console, SilentConsole
from phasezoo.training import play_games
from phasezoo.training.probes.tactics import Puzzle
from phasezoo.training.selfplay.config import self_play_search


@dataclass(frozen=True)
class CollisionRow:
    """Searches of single positions with one way to count descents that wait."""

    style: str
    """``virtual_style`` of the search."""
    simulations: int
    """Simulations of a search."""
    collisions: float
    """Descents that met a leaf that waited, mean over the positions."""
    rate: float
    """Simulations a second."""


@dataclass(frozen=True)
class BatchRow:
    """The network, and the search, by the rows of a call."""

    rows: int
    """Rows; leaves of a batch of the search."""
    rate: float
    """Positions a second of the network alone."""
    engine: float
    """Simulations a second of single searches, one after another."""


@dataclass(frozen=True)
class MoveCost:
    """Where the time of a move goes."""

    simulations: int
    """Simulations of the move."""
    network_ms: float
    """Milliseconds of the network."""
    search_ms: float
    """Milliseconds of everything else, planes and legal moves among it."""
    moves_ms: float
    """Milliseconds that as many lists of legal moves take, asked for one by one."""


@dataclass(frozen=True)
class WorkerRow:
    """Self-play by several processes."""

    workers: int
    """Processes."""
    games: float
    """Games an hour of all."""
    positions: float
    """Positions (plies of games) a second of all."""


@dataclass(frozen=True)
class Searched:
    """All that was measured of the search."""

    collisions: list[CollisionRow]
    """With and without virtual loss."""
    batches: list[BatchRow]
    """The network and the search by the rows of a call."""
    move: MoveCost
    """The parts of a move."""
    workers: list[WorkerRow]
    """Games an hour."""


@dataclass(frozen=True)
class MateRow:
    """A version in the position with a mate in two, after so many games from there."""

    games: int
    """Games."""
    network: float
    """The network's probability of the moves that force the mate."""
    search: float
    """The share of the search's visits."""
    network_finds: bool
    """True if its likeliest move is one of them."""
    search_finds: bool
    """True if the move that the search plays is."""


@dataclass(frozen=True)
class OneMate:
    """Games from one position with a mate in two."""

    fen: str
    """The position."""
    moves: list[str]
    """The moves that force the mate."""
    rows: list[MateRow]
    """Every version, the first weights' first."""


@dataclass(frozen=True)
class Results(RunResults):
    """Everything a report shows."""

    config: AtomicConfig
    runs: list[LearningRun] = field(metadata={"once": "courses"})
    """The variants of learning, the thesis' own first."""
    against_untrained: list[MatchSummary]
    """Each variant's last version against the thesis' first weights."""
    against_thesis: list[MatchSummary]
    """Each other variant's last version against the thesis' own."""
    itself: MatchSummary
    """The thesis' own last version against itself."""
    from_phases: dict[str, MatchSummary]
    """The same against untrained weights, from positions of its games' phases."""
    mate: OneMate | None
    """Games from one mate in two, by game."""
    styles: MatchSummary
    """Search without virtual loss against search with it, at equal nodes."""
    searched: Searched


STYLES = {"none": "no virtual loss", "virtual_loss": "virtual loss"}
"""How descents that wait are counted, and how the report calls it."""

_CALLS = 5
"""Of each batch size; the median counts."""


def searched(style: str, batch: int, **changes: Any) -> SearchConfig:
    """Return the measured search: the thesis' Q of 0 for unvisited moves, batches of leaves."""
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


def mate_row(evaluator: Any, puzzle: Puzzle, number: int, config: AtomicConfig) -> MateRow:
    """Show the position to a version, alone and with search."""
    state, keys = puzzle.state, list(puzzle.actions)
    planes = games.encode([state], evaluator.plane_spec)
    legal = state.legal_actions
    policy = softmax(np.asarray(evaluator.evaluate(planes).policy_logits)[0, legal].astype(float))
    is_key = np.isin(legal, keys)
    simulations = config.mate_simulations
    result = _agent(evaluator, "virtual_loss", simulations, config).search(state)
    visits = dict(zip(result.actions.tolist(), result.visits.tolist(), strict=True))
    return MateRow(
        games=number,
        network=float(policy[is_key].sum()),
        search=sum(visits.get(key, 0) for key in keys) / max(sum(visits.values()), 1),
        network_finds=bool(is_key[policy.argmax()]),
        search_finds=int(result.action) in puzzle.actions,
    )


def batch_rows(evaluator: Any, config: AtomicConfig) -> list[BatchRow]:
    """Measure the network and the search by the rows of a call."""
    states = _positions(config)
    found = []
    for rows in config.batches:
        planes = games.encode([states[i % len(states)] for i in range(rows)], evaluator.plane_spec)
        timed = stopwatch(partial(evaluator.evaluate, planes), time.perf_counter)
        timed()
        times = [timed() for _ in range(_CALLS)]
        agent = _agent(
            evaluator, "virtual_loss", config.simulations[-1], replace(config, search_batch=rows)
        )
        results = [agent.search(state) for state in states]
        engine = sum(r.simulations for r in results) / sum(r.seconds for r in results)
        found.append(BatchRow(rows, rows / float(np.median(times)), engine))
    return found


def move_cost(evaluator: Any, config: AtomicConfig) -> MoveCost:
    """Measure the parts of a move's time, at the most simulations."""
    simulations = config.simulations[-1]
    agent = _agent(evaluator, "virtual_loss", simulations, config)
    states = _positions(config)
    pool = agent.session_pool(games.make("atomic"), pool_rows=config.search_batch)
    started = time.perf_counter()
    for number, state in enumerate(states):
        pool.ask(pool.open(number), state, state.to_play)
        while not pool.poll():
            pass
    total = (time.perf_counter() - started) / len(states)
    network = pool.counts.seconds / len(states)
    return MoveCost(
        simulations=simulations,
        network_ms=1e3 * network,
        search_ms=1e3 * (total - network),
        moves_ms=1e3 * simulations * _seconds_of_legal_moves(states),
    )


def _agent(evaluator: Any, style: str, simulations: int, config: AtomicConfig) -> agents.MCTSAgent:
    """Return the agent; it proves nothing, as a proof would end a search early."""
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


def worker_rows(network: Path, config: AtomicConfig, modules: Sequence[str]) -> list[WorkerRow]:
    """Let so many processes play at once, each with one thread, after an import of some modules.

    Processes start before the clock does; the rate is that of all together, from the first that
    begins to the last that ends.
    """
    found = []
    for workers in config.workers:
        with tempfile.TemporaryDirectory() as folder:
            jobs = [_Playing(n, network, config, Path(folder) / str(n)) for n in range(workers)]
            spans = _at_once(jobs, modules)
        seconds = max(end for _, end, _ in spans) - min(begin for begin, _, _ in spans)
        positions = sum(count for _, _, count in spans)
        games = workers * config.worker_games
        found.append(WorkerRow(workers, 3600 * games / seconds, positions / seconds))
    return found


def _at_once(jobs: "Sequence[_Playing]", modules: Sequence[str]) -> list[tuple[float, float, int]]:
    spans: list[tuple[float, float, int]] = []
    with Processes(len(jobs), modules) as processes:
        processes.do("Playing", "games", jobs, SilentConsole(), lambda _: spans.append)
    return spans


@dataclass(frozen=True)
class _Playing:
    """One worker's games; what it finds is when they began and ended, and their positions."""

    number: int
    network: Path
    config: AtomicConfig
    place: Path
    steps: int = 0
    after: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"worker {self.number + 1}"

    def work(self, _: Console) -> tuple[float, float, int]:
        config = self.config
        agent = agents.MCTSAgent(
            inference.load(self.network, threads=1),
            limit=Limit(nodes=config.nodes),
            config=self_play_search(),
            game="atomic",
            threads=1,
        )
        options: dict[str, Any] = {"game": "atomic", "max_plies": config.max_plies, "threads": 1}
        play_games(agent, games=1, out=self.place / "first", seed=config.seed, **options)
        begun = time.time()
        store = play_games(
            agent,
            games=config.worker_games,
            out=self.place / "games",
            seed=config.seed + 1 + self.number,
            concurrency=min(config.concurrency, config.worker_games),
            **options,
        )
        return begun, time.time(), int(store.offsets[-1])
