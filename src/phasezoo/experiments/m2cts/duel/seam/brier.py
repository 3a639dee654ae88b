"""Brier scores of values, by network and phase.

Definitions: ``docs/definitions/seam.md#brier-scores``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from phasezoo.experiments.m2cts.duel.arms import EXPERT, ONE, mixture_name
from phasezoo.experiments.m2cts.duel.results import ALL
from phasezoo.experiments.m2cts.duel.seam.answers import Answers, placed
from phasezoo.experiments.m2cts.duel.seam.means import Means, Sample, means_of
from phasezoo.experiments.m2cts.duel.seam.results import BrierCell, BrierRow
from phasezoo.training.positions import PositionTable

__all__ = ["brier_rows", "score_error", "wdl_error"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Asked:
    """A row of the table before its numbers."""

    name: str
    phase: str | None
    recalibrated: bool
    values: Array
    """``float64[K, P]``."""
    wdl: Array | None
    """``float64[K, P, 3]``."""

    @property
    def key(self) -> str:
        """Names its samples."""
        return f"{self.name} {self.recalibrated}"


def score_error(values: Array, results: npt.NDArray[np.float32]) -> Array:
    """``[..., P]``: squared error of (1 + v) / 2 against the points: 1, 1/2 or 0."""
    error: Array = np.square((values - results) / 2)
    return error


def wdl_error(wdl: Array, results: npt.NDArray[np.float32]) -> Array:
    """``[..., P]``: squared error summed over win, draw and loss (Brier 1950)."""
    happened = np.stack([results > 0, results == 0, results < 0], axis=-1)
    error: Array = np.square(wdl - happened).sum(axis=-1)
    return error


def brier_rows(
    phases: Sequence[str],
    rows: PositionTable,
    game: npt.NDArray[np.int64],
    results: npt.NDArray[np.float32],
    trainings: Sequence[Answers],
    rng: np.random.Generator,
    resamples: int,
) -> list[BrierRow]:
    """Score every expert, the mixture and the one network, as trained and recalibrated.

    Args:
        phases: Names of the phases.
        rows: P test positions.
        game: ``int64[P]``: their games, from 0.
        results: ``float32[P]``: how the games ended for to_play.
        trainings: What the networks of each training said.
        rng: Draws the test games behind the intervals.
        resamples: Number of draws.
    """
    phase = rows.phase.astype(np.int64)
    asked = _asked(phases, phase, trainings)
    samples = {}
    for row in asked:
        samples[row.key] = Sample(score_error(row.values, results), game, phase)
        if row.wdl is not None:
            samples[f"wdl {row.key}"] = Sample(wdl_error(row.wdl, results), game, phase)
    games = int(game.max(initial=-1)) + 1
    means = means_of(samples, len(phases), games, rng, resamples)
    counts = np.bincount(phase, minlength=len(phases)).tolist()
    columns = zip([*phases, ALL], [*counts, len(phase)], strict=True)
    sets = [(column, index, count) for index, (column, count) in enumerate(columns)]
    return [
        BrierRow(
            name=row.name,
            phase=row.phase,
            recalibrated=row.recalibrated,
            cells={column: _cell(means, row, index, count) for column, index, count in sets},
        )
        for row in asked
    ]


def _asked(
    phases: Sequence[str], phase: npt.NDArray[np.int64], trainings: Sequence[Answers]
) -> list[_Asked]:
    found = []
    for mapped in (False, True):
        experts = np.stack([a.mapped_experts() if mapped else a.experts for a in trainings])
        one = np.stack([a.mapped_one(phase) if mapped else a.one for a in trainings])
        told = None if mapped else _wdl(trainings)
        for index, name in enumerate(phases):
            own = None if told is None else told[1][:, index]
            found.append(_Asked(f"{name} expert", name, mapped, experts[:, index], own))
        mixed = np.stack([placed(values, phase) for values in experts])
        wdl = None if told is None else np.stack([placed(each, phase) for each in told[1]])
        found.append(_Asked(mixture_name(EXPERT), None, mapped, mixed, wdl))
        found.append(_Asked(ONE, None, mapped, one, None if told is None else told[0]))
    return found


def _wdl(trainings: Sequence[Answers]) -> tuple[Array, Array] | None:
    """``[K, P, 3]`` of the one network and ``[K, n, P, 3]`` of the experts, if all tell them."""
    one = [a.one_wdl for a in trainings if a.one_wdl is not None]
    experts = [a.experts_wdl for a in trainings if a.experts_wdl is not None]
    return (np.stack(one), np.stack(experts)) if len(one) == len(trainings) else None


def _cell(means: Means, row: _Asked, kind: int, positions: int) -> BrierCell:
    trained = f"{row.name} {False}"
    is_reference = row.name == ONE and not row.recalibrated
    reference = f"{ONE} {False}"
    return BrierCell(
        positions=positions,
        score=means.mean(row.key, kind),
        wdl=None if row.wdl is None else means.mean(f"wdl {row.key}", kind),
        against=None if is_reference else means.difference(row.key, reference, kind),
        gained=means.difference(row.key, trained, kind) if row.recalibrated else None,
    )
