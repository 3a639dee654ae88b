"""The loss matrix from losses per position: mixtures, differences, intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.duel.arms import EXPERT, ONE, PLACEBO, mixture_name
from phasezoo.experiments.m2cts.duel.results import (
    ALL,
    METRICS,
    Cell,
    Comparison,
    Differences,
    Entry,
    Losses,
)
from phasezoo.experiments.statistics import ResampledMeans, over_trainings, resample_games
from phasezoo.training.evaluation import PositionLosses

__all__ = ["TestPositions", "TrainingLosses", "loss_matrix"]

Array: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TestPositions:
    """What test positions the losses are of."""

    __test__ = False  # not a test, whatever its name

    game: npt.NDArray[np.int64]
    """``int64[P]``: index of the game, any numbering."""
    phase: npt.NDArray[np.int64]
    """``int64[P]``: phase by the gate under study."""
    parts: Mapping[str, npt.NDArray[np.int64]]
    """``int64[P]``: phase by the gate of every other arm, by its role; the placebo's first."""


@dataclass(frozen=True)
class TrainingLosses:
    """What the networks of one training did on the test positions."""

    experts: Sequence[PositionLosses]
    """One per phase, each on all P positions."""
    others: Mapping[str, Sequence[PositionLosses]]
    """Of every other arm one per phase of its gate, each on the positions of its phase, in their
    order."""
    baseline: PositionLosses
    """The one network, on all P positions."""


def loss_matrix(
    phases: Sequence[str],
    positions: TestPositions,
    trainings: Sequence[TrainingLosses],
    rng: np.random.Generator,
    resamples: int,
) -> Losses:
    """Return the matrix of losses, its differences to the baseline and the three comparisons.

    Args:
        phases: Names of the phases.
        positions: The test positions.
        trainings: The networks' losses on them, one per training.
        rng: Draws the test games behind the intervals.
        resamples: Number of draws.
    """
    means = _means(len(phases), positions, trainings, rng, resamples)
    columns = [*phases, ALL]
    games = len(np.unique(positions.game))
    reached = [len(np.unique(positions.game[positions.phase == k])) for k in range(len(phases))]
    reached.append(games)
    counts = np.bincount(positions.phase, minlength=len(phases)).tolist()
    counts.append(sum(counts))
    entries = []
    rows: list[tuple[str, str, str | None]] = []
    rows += [(f"{name} expert", "expert", name) for name in phases]
    rows += [(mixture_name(EXPERT), "mixture", None)]
    rows += [(mixture_name(role), _role_of(role), None) for role in positions.parts]
    rows += [(ONE, "baseline", None)]
    mixture, placebo, baseline = len(phases), len(phases) + 1, len(rows) - 1
    for index, (name, role, phase) in enumerate(rows):
        cells = {c: _cell(means, index, k, counts[k]) for k, c in enumerate(columns)}
        against = _against(means, index, baseline, reached)
        same = role == "baseline"
        differences = {} if same else {c: against(k) for k, c in enumerate(columns)}
        entries.append(Entry(name, role, phase, cells, differences))
    pairs = {
        "thinning": (placebo, baseline),
        "specialisation": (mixture, placebo),
        "both": (mixture, baseline),
    }
    comparisons = [
        Comparison(
            name,
            {c: _against(means, first, second, reached)(k) for k, c in enumerate(columns)},
            _deviation(means, first, second),
        )
        for name, (first, second) in pairs.items()
    ]
    return Losses(columns, games, resamples, entries, comparisons)


def _role_of(role: str) -> str:
    return role if role == PLACEBO else "arm"


def _means(
    phases: int,
    positions: TestPositions,
    trainings: Sequence[TrainingLosses],
    rng: np.random.Generator,
    resamples: int,
) -> ResampledMeans:
    """Means [training, row, metric, test set] with their resampled counterparts."""
    _, game = np.unique(positions.game, return_inverse=True)
    games = int(game.max(initial=-1)) + 1
    cell = game * phases + positions.phase
    size = games * phases

    def by_game(values: Array) -> Array:
        sums = np.bincount(cell, weights=values, minlength=size).reshape(games, phases)
        return np.concatenate([sums, sums.sum(axis=1, keepdims=True)], axis=1)

    counts = by_game(np.ones(len(cell)))
    sums = np.stack(
        [
            [[by_game(metric) for metric in row] for row in _rows(positions, training)]
            for training in trainings
        ]
    )
    # [training, row, metric, game, test set] -> game first, as resample_games wants it
    sums = np.moveaxis(sums, 3, 0)
    return resample_games(sums, counts[:, None, None, None, :], rng, resamples)


def _rows(positions: TestPositions, training: TrainingLosses) -> list[Array]:
    """``float64[4, P]`` for each row of the matrix."""
    experts = [_stacked(losses) for losses in training.experts]
    others = {role: [_stacked(one) for one in losses] for role, losses in training.others.items()}
    return [
        *experts,
        _placed([e[:, positions.phase == i] for i, e in enumerate(experts)], positions.phase),
        *(_placed(others[role], part) for role, part in positions.parts.items()),
        _stacked(training.baseline),
    ]


def _stacked(losses: PositionLosses) -> Array:
    """``float64[4, P]``, in the order of :data:`~.results.METRICS`."""
    rows = (losses.total, losses.policy, losses.value, losses.correct)
    return np.stack([row.astype(np.float64) for row in rows])


def _placed(parts: Sequence[Array], which: npt.NDArray[np.int64]) -> Array:
    """Put together what each part's network answered on its own positions, in their order."""
    whole = np.empty((len(METRICS), len(which)))
    for part, answered in enumerate(parts):
        whole[:, which == part] = answered
    return whole


def _cell(means: ResampledMeans, row: int, column: int, positions: int) -> Cell:
    values = means.means[:, row, :, column].mean(axis=0)
    found = {
        name: float(v) if np.isfinite(v) else None for name, v in zip(METRICS, values, strict=True)
    }
    return Cell(positions=positions, **found)


def _against(
    means: ResampledMeans, first: int, second: int, games: Sequence[int]
) -> Callable[[int], Differences]:
    """Differences of two rows by column, of each of which so many games have positions."""

    def differences(column: int) -> Differences:
        found: dict[str, Interval | None] = {}
        for metric, name in enumerate(METRICS):
            values = means.means[:, first, metric, column] - means.means[:, second, metric, column]
            drawn = (
                means.resampled[:, :, first, metric, column]
                - means.resampled[:, :, second, metric, column]
            )
            found[name] = over_trainings(values, drawn, games=games[column])
        return Differences(**found)

    return differences


def _deviation(means: ResampledMeans, first: int, second: int) -> float | None:
    values = means.means[:, first, 0, -1] - means.means[:, second, 0, -1]
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    return float(values.std(ddof=1))
