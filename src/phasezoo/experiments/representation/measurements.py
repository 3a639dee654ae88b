"""Measurements of trained networks: losses, time and games, and everything that a report shows."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo import arena, games, inference, networks
from phasezoo.agents import EngineAgent, Limit, MCTSAgent
from phasezoo.agents.engines.process import find_engine
from phasezoo.arena import Standings, crossed_pairs, stream
from phasezoo.arena.statistics.crossed_trainings import CrossedResult
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.positions import PositionTable
from phasezoo.data.splits import PositionStore
from phasezoo.errors import EngineFailed, MissingDependency
from phasezoo.experiments.matches import Counted, counts_of
from phasezoo.experiments.representation.config import (
    CORNERS,
    ENGINE_NODES,
    HEADS,
    PLANES,
    RepresentationConfig,
    Variant,
    corner,
    groups_of,
)
from phasezoo.experiments.representation.positions import Endings, Gradients
from phasezoo.experiments.study import RunResults
from phasezoo.experiments.timing import between_rounds, in_rounds, stopwatch
from phasezoo.report.console import Console
from phasezoo.training.evaluation import evaluate_network
from phasezoo.training.experts.planned import TrainedNetwork
from phasezoo.training.resampling import over_trainings, resample_games
from phasezoo.training.trainer import torch_threads

Paths: TypeAlias = Mapping[str, Sequence[Path]]
"""Directories of networks by variant, one a training."""

METRICS = ("total", "policy", "value", "accuracy")
"""Metrics on test positions; the first three are losses, where less is better."""


@dataclass(frozen=True)
class Dataset:
    """The games."""

    source: str
    """Where they come from, for people."""
    sha256: str
    """Checksum of their file."""
    games: list[int]
    """Games for training, validation and test."""
    positions: list[int]
    """Their positions."""
    tested: int
    """Test games that losses are measured on."""
    test_positions: int
    """Positions of these that do not occur in training."""


@dataclass(frozen=True)
class GameSums:
    """Figures of one network on the test positions, summed over each game."""

    counts: list[int]
    """Positions of each game."""
    sums: dict[str, list[float]]
    """Sums over them by metric."""


@dataclass(frozen=True)
class LossRow:
    """A network in a table of losses, a mean over its trainings."""

    name: str
    label: str
    """As shown."""
    trainings: int
    """Its trainings."""
    parameters: int
    """Numbers that training adjusts."""
    multiply_adds: int
    """Multiply-adds of a position."""
    metrics: dict[str, Interval | None]
    """Mean and 95 % interval, over trainings first and games second, by metric."""
    to_first: dict[str, Interval | None]
    """Differences to the first row by metric, training by training; empty for the first row."""


@dataclass(frozen=True)
class Contrast:
    """A difference between the four combinations."""

    name: str
    """``inputs``: v2 less v1, ``heads``: wdlp less mse, each averaged over the other; ``both``."""
    metrics: dict[str, Interval | None]
    """By metric."""
    deviation: float | None
    """Standard deviation between trainings of the difference of total losses; None with one."""


@dataclass(frozen=True)
class Losses:
    """Everything about losses."""

    tables: dict[str, list[LossRow]]
    """The combinations (``corners``) and the grids by name."""
    contrasts: list[Contrast]
    """Main effects and both."""


@dataclass(frozen=True)
class Latency:
    """Time of a position, measured here on one thread or on the device."""

    arm: str
    """The network, its first training."""
    backend: str
    """``onnx`` or ``torch``."""
    batch: int
    """Positions a call."""
    microseconds: Interval
    """Of a position: median of the rounds, between the lowest and the highest."""


@dataclass(frozen=True)
class Pairing(Counted):
    """All games between the trainings of two contenders."""

    first: str
    second: str
    elo: CrossedResult
    """Of the first over the second; its interval counts trainings first and games second."""


@dataclass(frozen=True)
class Games:
    """A round robin under one limit."""

    limit: str
    """Limit of a move, for people."""
    contenders: list[str]
    """Players: networks, and an engine."""
    trainings: dict[str, int]
    """Trainings of each that played."""
    pairings: list[Pairing] = field(metadata={"once": "duels"})
    """Every pair of contenders."""
    played: int
    """All games, those between trainings of one network included."""


@dataclass(frozen=True)
class Results(RunResults):
    """Everything a report shows."""

    config: RepresentationConfig
    dataset: Dataset
    networks: list[TrainedNetwork]
    losses: Losses
    latency: list[Latency]
    gradients: Gradients
    endings: Endings | None
    games: list[Games]
    engine: str
    """Engine of reference, or why there is none, for people."""


Weights: TypeAlias = Mapping[str, float]
"""A linear combination of networks, by their names."""


def game_sums(
    path: Path, store: PositionStore, table: PositionTable, config: RepresentationConfig
) -> GameSums:
    """Measure a network on positions of test games, game by game."""
    evaluator = inference.load(path, device=config.device, threads=config.threads)
    found = evaluate_network(evaluator, store, table, threads=config.threads)
    _, game = np.unique(found.game, return_inverse=True)
    columns = found.columns()
    sums = {name: np.bincount(game, weights=columns[name]).tolist() for name in METRICS}
    return GameSums(np.bincount(game).tolist(), sums)


def losses(
    config: RepresentationConfig,
    sums: Mapping[str, Sequence[GameSums]],
    cards: Mapping[str, TrainedNetwork],
    rng: np.random.Generator,
) -> Losses:
    """Return every table and contrast of losses."""
    means = _Means(sums, rng, config.resamples)
    tables = {
        name: [_loss_row(one, group[0], means, cards[one.name], config) for one in group]
        for name, group in groups_of(config).items()
    }
    contrasts = [
        Contrast(name, means.combined(weights), means.deviation(weights))
        for name, weights in _contrasts().items()
    ]
    return Losses(tables, contrasts)


def _contrasts() -> dict[str, Weights]:
    old, new = PLANES
    mse, wdlp = HEADS
    share = 1 / len(HEADS)
    inputs = {corner(p, h): share * (1 if p == new else -1) for p in PLANES for h in HEADS}
    heads = {corner(p, h): share * (1 if h == wdlp else -1) for p in PLANES for h in HEADS}
    return {"inputs": inputs, "heads": heads,
            "both": {corner(new, wdlp): 1.0, corner(old, mse): -1.0}}  # fmt: skip


def _loss_row(
    variant: Variant,
    first: Variant,
    means: "_Means",
    card: TrainedNetwork,
    config: RepresentationConfig,
) -> LossRow:
    game = games.make(config.game)
    size = networks.count(variant.network, game.plane_shape(variant.planes), game.num_actions)
    is_corner = variant.name in CORNERS
    less_first = {variant.name: 1.0, first.name: -1.0}
    return LossRow(
        name=variant.name,
        label=f"{variant.planes} + {variant.head}" if is_corner else variant.tower,
        trainings=variant.trainings,
        parameters=card.parameters,
        multiply_adds=size.multiply_adds,
        metrics=means.combined({variant.name: 1.0}),
        to_first={} if variant is first else means.combined(less_first),
    )


class _Means:
    """Means of every network over the test positions, and over draws of test games."""

    def __init__(
        self, sums: Mapping[str, Sequence[GameSums]], rng: np.random.Generator, resamples: int
    ) -> None:
        self._places: dict[str, range] = {}
        every: list[GameSums] = []
        for name, trainings in sums.items():
            self._places[name] = range(len(every), len(every) + len(trainings))
            every += trainings
        table = np.array([[one.sums[metric] for metric in METRICS] for one in every])
        counts = np.array(every[0].counts, dtype=np.float64)
        by_game = np.moveaxis(table, 2, 0)  # float64[G, networks, metrics]
        self._games = int((counts > 0).sum())
        self._means = resample_games(by_game, counts[:, None, None], rng, resamples)

    def combined(self, weights: Weights) -> dict[str, Interval | None]:
        """Return a combination of networks by metric, over trainings first and games second."""
        values, resampled = self._combined(weights)
        return {
            metric: over_trainings(values[:, index], resampled[:, :, index], games=self._games)
            for index, metric in enumerate(METRICS)
        }

    def deviation(self, weights: Weights) -> float | None:
        """Return the standard deviation between trainings of a combination of total losses."""
        values, _ = self._combined(weights)
        return None if len(values) < 2 else float(values[:, 0].std(ddof=1))

    def _combined(
        self, weights: Weights
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """``float64[K, metrics]`` and ``float64[R, K, metrics]`` of the trainings that all have."""
        pairs = min(len(self._places[name]) for name in weights)
        values = np.zeros((pairs, len(METRICS)))
        resampled = np.zeros((len(self._means.resampled), pairs, len(METRICS)))
        for name, weight in weights.items():
            start = self._places[name].start
            values += weight * self._means.means[start : start + pairs]
            resampled += weight * self._means.resampled[:, start : start + pairs]
        return values, resampled


def latency(paths: Mapping[str, Path], config: RepresentationConfig) -> list[Latency]:
    """Measure microseconds of a position of each network, by backend and by positions a call.

    On a CPU it is the CPU time of one thread, so that other programs on the machine matter little;
    on another device it is the time that passes, transfers included. Every round measures all
    networks in turn; of a measurement the fastest call counts.
    """
    is_cpu = networks.resolve_device(config.device).type == "cpu"
    backends: tuple[Literal["onnx", "torch"], ...] = ("onnx", "torch") if is_cpu else ("torch",)
    clock = time.process_time if is_cpu else time.perf_counter
    calls: dict[tuple[str, str, int], Callable[[], float]] = {}
    with torch_threads(1):
        for name, path in paths.items():
            for backend in backends:
                evaluator = inference.load_network(path, backend, config.device, threads=1)
                planes = _planes(evaluator.plane_spec, max(config.batches), config)
                for batch in config.batches:
                    calls[name, backend, batch] = stopwatch(_call(evaluator, planes[:batch]), clock)
        found = in_rounds(list(calls.values()), config.rounds, config.milliseconds / 1e3)
    return [
        Latency(name, backend, batch, between_rounds([1e6 * each / batch for each in times]))
        for (name, backend, batch), times in zip(calls, found, strict=True)
    ]


def _call(evaluator: Any, planes: Any) -> Callable[[], object]:
    return lambda: evaluator.evaluate(planes)


def _planes(spec: str, rows: int, config: RepresentationConfig) -> Any:
    """Positions after the package's openings."""
    suite = arena.OpeningSuite.load(config.game)
    states = [suite.state(index % len(suite)) for index in range(rows)]
    return games.encode(states, spec)


def reference_of(config: RepresentationConfig) -> tuple[EngineAgent | None, str]:
    """Return the engine that figures show as a line, None if missing, and a sentence on it."""
    usual, nodes = ENGINE_NODES[config.game]
    program, nodes = config.engine or usual, config.engine_nodes or nodes
    name = f"{Path(program).stem}, {nodes:,} nodes"
    try:
        find_engine(program)
        agent = EngineAgent(program, nodes=nodes, options={"Threads": 1}, name=name)
    except (EngineFailed, MissingDependency):
        if config.engine is not None:
            raise
        return None, f"There is no line of reference: {program} is not installed here."
    return agent, f"The engine of reference is {name}, on one thread."


def play(
    paths: Paths,
    limit: Limit,
    engine: EngineAgent | None,
    log: Path,
    config: RepresentationConfig,
    console: Console,
) -> Games:
    """Play a round robin of every training of every contender, or go on with it."""
    players: dict[str, Any] = {
        f"{name} #{training + 1}": MCTSAgent(
            inference.load(path, device=config.device, threads=config.threads),
            limit=limit,
            batch_size=config.search_batch,
            game=config.game,
            threads=config.threads,
        )
        for name, networks in paths.items()
        for training, path in enumerate(networks)
    }
    trainings = {name: len(networks) for name, networks in paths.items()}
    if engine is not None:
        players[f"{engine.name} #1"] = engine
        trainings[engine.name] = 1
    is_timed = limit.movetime_ms is not None
    pairs = len(players) * (len(players) - 1) // 2
    games_of_two = config.movetime_games if is_timed else config.match_games
    with console.task(f"Games, {limit} a move", pairs * games_of_two) as task:
        standings = arena.tournament(
            list(players.values()),
            game=config.game,
            games=games_of_two,
            seed=stream(config.seed, "games", str(limit)),
            concurrency=None if is_timed or engine else config.concurrency,
            threads=config.threads,
            max_plies=config.max_plies,
            names=list(players),
            log=log,
            progress=lambda done, _: task.update(done),
        )
    pairings = [_pairing(standings, pair, trainings) for pair in combinations(trainings, 2)]
    return Games(str(limit), list(trainings), trainings, pairings, len(standings.games))


def _pairing(standings: Standings, pair: tuple[str, str], trainings: Mapping[str, int]) -> Pairing:
    """Return the pairing of two contenders."""
    first, second = (
        [f"{name} #{training + 1}" for training in range(trainings[name])] for name in pair
    )
    matches = [[standings.match(one, other) for other in second] for one in first]
    return Pairing(
        first=pair[0],
        second=pair[1],
        **counts_of(*chain(*matches)),
        elo=crossed_pairs([[list(match.group_scores) for match in row] for row in matches]),
    )
