"""Losses on test positions: each network's, and what they say of arms, training by training."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from phasezoo import games, inference, networks
from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.representation.arms import CORNERS, HEADS, PLANES, Arm, corner, groups_of
from phasezoo.experiments.representation.config import RepresentationConfig
from phasezoo.experiments.representation.preparation import Prepared
from phasezoo.experiments.representation.results import (
    METRICS,
    ArmRow,
    Contrast,
    GameSums,
    Losses,
    Table,
)
from phasezoo.experiments.statistics import ResampledMeans, over_trainings, resample_games
from phasezoo.training.evaluation import evaluate_network

__all__ = ["compared", "measured"]

Weights = Mapping[str, float]
"""A linear combination of arms, by their names."""


def measured(path: Path, prepared: Prepared, config: RepresentationConfig) -> GameSums:
    """How a network does on the test positions, game by game.

    Args:
        path: Its directory.
        prepared: The run's positions.
        config: The settings.
    """
    evaluator = inference.load(path, device=config.device, threads=config.threads)
    found = evaluate_network(evaluator, prepared.splits.test, prepared.test, threads=config.threads)
    _, game = np.unique(found.game, return_inverse=True)
    columns = found.columns()
    sums = {name: np.bincount(game, weights=columns[name]).tolist() for name in METRICS}
    return GameSums(np.bincount(game).tolist(), sums)


def compared(
    config: RepresentationConfig,
    sums: Mapping[str, Sequence[GameSums]],
    cards: Mapping[str, NetworkCard],
    rng: np.random.Generator,
) -> Losses:
    """Every table and contrast of losses.

    Args:
        config: The settings.
        sums: By arm, of each of its trainings.
        cards: By arm, of its first training.
        rng: Draws the test games behind the intervals.
    """
    means = _Means(sums, rng, config.resamples)
    tables = []
    for name, group in groups_of(config).items():
        rows = [_row(arm, means, cards[arm.name], config) for arm in group]
        first = group[0].name
        differences = {arm.name: means.combined({arm.name: 1.0, first: -1.0}) for arm in group[1:]}
        tables.append(Table(name, rows, differences))
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


def _row(arm: Arm, means: "_Means", card: NetworkCard, config: RepresentationConfig) -> ArmRow:
    game = games.make(config.game)
    size = networks.count(arm.network, game.plane_shape(arm.planes), game.num_actions)
    return ArmRow(
        name=arm.name,
        label=f"{arm.planes} + {arm.head}" if arm.name in CORNERS else arm.tower,
        trainings=arm.trainings,
        parameters=card.parameters,
        multiply_adds=size.multiply_adds,
        metrics=means.combined({arm.name: 1.0}),
    )


class _Means:
    """Means of every network over the test positions, and over draws of test games."""

    def __init__(
        self, sums: Mapping[str, Sequence[GameSums]], rng: np.random.Generator, resamples: int
    ) -> None:
        self._places: dict[str, slice] = {}
        every: list[GameSums] = []
        for name, trainings in sums.items():
            self._places[name] = slice(len(every), len(every) + len(trainings))
            every += trainings
        table = np.array([[one.sums[metric] for metric in METRICS] for one in every])
        counts = np.array(every[0].counts, dtype=np.float64)
        by_game = np.moveaxis(table, 2, 0)  # float64[G, networks, metrics]
        self._games = int((counts > 0).sum())
        self._means: ResampledMeans = resample_games(by_game, counts[:, None, None], rng, resamples)

    def combined(self, weights: Weights) -> dict[str, Interval | None]:
        """A combination of arms by metric, over trainings first and games second."""
        values, resampled = self._combined(weights)
        return {
            metric: over_trainings(values[:, index], resampled[:, :, index], games=self._games)
            for index, metric in enumerate(METRICS)
        }

    def deviation(self, weights: Weights) -> float | None:
        """Standard deviation between trainings of a combination of total losses."""
        values, _ = self._combined(weights)
        return None if len(values) < 2 else float(values[:, 0].std(ddof=1))

    def _combined(
        self, weights: Weights
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """``float64[K, metrics]`` and ``float64[R, K, metrics]`` of the trainings that all have."""
        pairs = min(len(range(*self._places[name].indices(10**6))) for name in weights)
        values = np.zeros((pairs, len(METRICS)))
        resampled = np.zeros((len(self._means.resampled), pairs, len(METRICS)))
        for name, weight in weights.items():
            start = self._places[name].start
            values += weight * self._means.means[start : start + pairs]
            resampled += weight * self._means.resampled[:, start : start + pairs]
        return values, resampled
