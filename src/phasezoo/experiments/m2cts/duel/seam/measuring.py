"""Measures the seams of a run: neighbouring experts near boundaries, and Brier scores."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.duel.evaluation import TestAnswers, TrainedNetworks, drawn
from phasezoo.experiments.m2cts.duel.preparation import Prepared
from phasezoo.experiments.m2cts.duel.results import ALL
from phasezoo.experiments.m2cts.duel.seam.answers import Answers, answers_of, placed
from phasezoo.experiments.m2cts.duel.seam.boundaries import NEAR, Near, near_boundaries
from phasezoo.experiments.m2cts.duel.seam.brier import brier_rows
from phasezoo.experiments.m2cts.duel.seam.means import Means, Sample, means_of
from phasezoo.experiments.m2cts.duel.seam.results import Map, Seam, SeamPlace, SeamRow
from phasezoo.report.console import Console
from phasezoo.training.positions import PositionTable

__all__ = ["MAPPED", "measure", "seam_of"]

MAPPED = ", recalibrated"
"""Ends the names of numbers that are of recalibrated values."""

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Numbers = dict[str, Interval | None]


def measure(
    prepared: Prepared,
    trainings: Sequence[TrainedNetworks],
    answers: TestAnswers,
    console: Console,
) -> Seam:
    """Ask the networks of every training about test positions, and compare what they say.

    Args:
        prepared: The run's games and settings.
        trainings: Directories of the networks of each training by role.
        answers: What one network and the phase experts of each say of the test positions.
        console: Where progress is shown.
    """
    rows, validation = answers.rows, drawn(prepared, "validation")
    near = near_boundaries(prepared.tables["test"], rows)
    found = []
    with console.task("Values where phases meet", len(trainings)) as task:
        for networks in trainings:
            found.append(answers_of(prepared, networks, answers, near.rows, validation))
            task.update(len(found), f"{len(near):,} test positions near a boundary")
    store: Any = prepared.splits.test
    results = store.returns[rows.game, rows.player]
    rng = np.random.default_rng(prepared.seed("resampling the seam"))
    resamples = prepared.config.resamples
    return seam_of(prepared.phases, rows, near, results, found, rng, resamples)


def seam_of(
    phases: Sequence[str],
    rows: PositionTable,
    near: Near,
    results: npt.NDArray[np.float32],
    trainings: Sequence[Answers],
    rng: np.random.Generator,
    resamples: int,
) -> Seam:
    """Make the tables of what networks answered.

    Args:
        phases: Names of the phases.
        rows: The test positions.
        near: Those near a boundary.
        results: ``float32[P]``: how each one's game ended for to_play.
        trainings: What the networks of each training said.
        rng: Draws the test games behind the intervals.
        resamples: Number of draws.
    """
    _, game = np.unique(rows.game, return_inverse=True)
    games = int(game.max(initial=-1)) + 1
    samples = _samples(rows, near, trainings, game)
    kinds, kind = np.unique(near.before * len(phases) + near.after, return_inverse=True)
    kind = kind.astype(np.int64)
    by_kind = means_of(_divided(samples, kind), max(len(kinds), 1), games, rng, resamples)
    by_place = means_of(_divided(samples, near.offset + NEAR), 2 * NEAR, games, rng, resamples)
    names = [ALL, *(f"{phases[k // len(phases)]} → {phases[k % len(phases)]}" for k in kinds)]
    chosen = [np.ones(len(near), dtype=bool), *(kind == k for k in range(len(kinds)))]
    columns = [max(len(kinds), 1), *range(len(kinds))]
    return Seam(
        near=NEAR,
        games=games,
        rows=[
            _row(name, near, which, game, _numbers(by_kind, column))
            for name, which, column in zip(names, chosen, columns, strict=True)
        ],
        places=[_place(by_place, offset) for offset in range(-NEAR, NEAR)],
        brier=brier_rows(phases, rows, game, results, trainings, rng, resamples),
        maps=[
            Map(name, phases[phase], training, one.slope, one.shift, one.positions)
            for training, answers in enumerate(trainings)
            for name, maps in (("expert", answers.expert_maps), ("one network", answers.one_maps))
            for phase, one in enumerate(maps)
        ],
    )


def _samples(
    rows: PositionTable, near: Near, trainings: Sequence[Answers], game: Indices
) -> dict[str, tuple[Array, Indices, Indices]]:
    """Values in each training, games, and places among those near, by name."""
    phase = rows.phase.astype(np.int64)
    own = game[near.rows]
    side = 1.0 - 2.0 * rows.player[near.rows]  # turns a value for to_play into the first player's
    earlier, later = near.steps()
    crossing = near.offset[later] == 0
    everything = np.arange(len(near))
    found: dict[str, tuple[Array, Indices, Indices]] = {}
    for end, asked in (("", _as_trained), (MAPPED, _recalibrated)):
        experts, one = zip(*(asked(answers, phase) for answers in trainings), strict=True)
        apart = np.stack([_apart(values[:, near.rows], near) for values in experts])
        found["apart" + end] = (np.abs(apart), own, everything)
        found["for to_play" + end] = (apart, own, everything)
        found["for the first player" + end] = (apart * side, own, everything)
        whole = (("mixture", [placed(values, phase) for values in experts]), ("one network", one))
        for who, values in whole:
            seen = np.stack([told[near.rows] * side for told in values])
            steps = np.abs(seen[:, later] - seen[:, earlier])
            found[f"step, {who}{end}"] = (steps, own[later], later)
            across = later[crossing]
            found[f"crossing, {who}{end}"] = (steps[:, crossing], own[across], across)
    pairs = np.stack([_any_two(answers.placebo) for answers in trainings])
    return found | {"apart, placebo": (pairs, own, everything)}


def _as_trained(answers: Answers, phase: Indices) -> tuple[Array, Array]:
    del phase
    return answers.experts, answers.one


def _recalibrated(answers: Answers, phase: Indices) -> tuple[Array, Array]:
    return answers.mapped_experts(), answers.mapped_one(phase)


def _apart(values: Array, near: Near) -> Array:
    """``float64[N]``: what the later phase's expert says more than the earlier one's."""
    return placed(values, near.after) - placed(values, near.before)


def _any_two(values: Array) -> Array:
    """``float64[N]``: mean size of the difference between any two."""
    pairs = [np.abs(values[i] - values[j]) for i, j in combinations(range(len(values)), 2)]
    mean: Array = np.mean(pairs, axis=0)
    return mean


def _divided(
    samples: Mapping[str, tuple[Array, Indices, Indices]], kind: Indices
) -> dict[str, Sample]:
    return {
        name: Sample(values, game, kind[places]) for name, (values, game, places) in samples.items()
    }


def _numbers(means: Means, kind: int) -> Numbers:
    """The numbers of ``docs/definitions/seam.md#numbers``."""
    found: Numbers = {}
    for end in ("", MAPPED):
        for name in ("apart", "for to_play", "for the first player"):
            found[name + end] = means.mean(name + end, kind)
        step = f"step, one network{end}"
        found[step] = means.mean(step, kind)
        found["apart by step" + end] = means.ratio("apart" + end, step, kind)
        crossing = [f"crossing, {who}{end}" for who in ("mixture", "one network")]
        found |= {name: means.mean(name, kind) for name in crossing}
        found["crossing, difference" + end] = means.difference(crossing[0], crossing[1], kind)
    found["apart, placebo"] = means.mean("apart, placebo", kind)
    found["apart − placebo"] = means.difference("apart", "apart, placebo", kind)
    found["apart, gained"] = means.difference("apart" + MAPPED, "apart", kind)
    return found


def _row(
    name: str, near: Near, which: npt.NDArray[np.bool_], game: Indices, numbers: Numbers
) -> SeamRow:
    return SeamRow(
        name=name,
        positions=int(which.sum()),
        boundaries=len(np.unique(near.boundary[which])),
        games=len(np.unique(game[near.rows[which]])),
        numbers=numbers,
    )


def _place(means: Means, offset: int) -> SeamPlace:
    kind = offset + NEAR
    return SeamPlace(
        offset=offset,
        experts=means.mean("apart", kind),
        placebo=means.mean("apart, placebo", kind),
        one=means.mean("step, one network", kind),
        mixture=means.mean("step, mixture", kind),
    )
