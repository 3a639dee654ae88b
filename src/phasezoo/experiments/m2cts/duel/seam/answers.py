"""What the networks of one training say of test positions, as trained and recalibrated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from phasezoo.experiments.m2cts.duel.arms import BASELINE, EXPERT, PLACEBO
from phasezoo.experiments.m2cts.duel.evaluation import TestAnswers, evaluate
from phasezoo.experiments.m2cts.duel.preparation import Prepared
from phasezoo.experiments.m2cts.duel.seam.recalibration import Recalibration, fitted
from phasezoo.training.evaluation import PositionLosses
from phasezoo.training.positions import PositionTable

__all__ = ["Answers", "answers_of", "placed"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Answers:
    """Values of one training's networks on P test positions, each for to_play."""

    experts: Array
    """``float64[n, P]``: of each phase's expert."""
    one: Array
    """``float64[P]``: of the one network."""
    experts_wdl: Array | None
    """``float64[n, P, 3]``; None if networks tell none."""
    one_wdl: Array | None
    """``float64[P, 3]``; None if networks tell none."""
    placebo: Array
    """``float64[m, N]``: of the placebo's experts, on the N rows near a boundary."""
    expert_maps: Sequence[Recalibration]
    """Of each phase's expert, by validation positions of its phase."""
    one_maps: Sequence[Recalibration]
    """Of the one network, by validation positions of each phase."""

    def mapped_experts(self) -> Array:
        """``float64[n, P]``: the experts' values recalibrated."""
        pairs = zip(self.expert_maps, self.experts, strict=True)
        return np.stack([change(values) for change, values in pairs])

    def mapped_one(self, phase: npt.NDArray[np.int64]) -> Array:
        """``float64[P]``: the one network's values recalibrated by the map of each one's phase."""
        return placed(np.stack([change(self.one) for change in self.one_maps]), phase)


def placed(values: Array, phase: npt.NDArray[np.int64]) -> Array:
    """``[P, ...]``: of ``[n, P, ...]`` those of each position's own phase."""
    chosen: Array = values[phase, np.arange(len(phase))]
    return chosen


def answers_of(
    prepared: Prepared,
    networks: Mapping[str, Sequence[Path]],
    test: TestAnswers,
    near: npt.NDArray[np.int64],
    validation: PositionTable,
) -> Answers:
    """Ask the networks of one training.

    Args:
        prepared: The run's games and settings.
        networks: Their directories by role.
        test: What one network and the phase experts say of the P test positions.
        near: Which of them lie near a boundary.
        validation: Validation positions that values are recalibrated by.
    """
    experts, baseline = networks[EXPERT], networks[BASELINE]
    one, own = test.of(networks)
    has_wdl = all(found.wdl is not None for found in (one, *own))
    beside = evaluate(prepared, networks[PLACEBO], prepared.splits.test, test.rows.select(near))
    expert_maps, one_maps = [], []
    for phase, path in enumerate(experts):
        some = validation.of_phase(phase)
        learnt = evaluate(prepared, [*baseline, path], prepared.splits.validation, some)
        one_maps.append(_map_of(learnt[0]))
        expert_maps.append(_map_of(learnt[1]))
    return Answers(
        experts=np.stack([_values(found) for found in own]),
        one=_values(one),
        experts_wdl=np.stack([_wdl(found) for found in own]) if has_wdl else None,
        one_wdl=_wdl(one) if has_wdl else None,
        placebo=np.stack([_values(found) for found in beside]),
        expert_maps=expert_maps,
        one_maps=one_maps,
    )


def _map_of(found: PositionLosses) -> Recalibration:
    results = np.empty(0) if found.result is None else found.result
    return fitted(_values(found), results)


def _values(found: PositionLosses) -> Array:
    return np.empty(0) if found.answer is None else found.answer.astype(np.float64)


def _wdl(found: PositionLosses) -> Array:
    return np.empty((0, 3)) if found.wdl is None else found.wdl.astype(np.float64)
