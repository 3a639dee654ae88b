"""Measurements where phases meet: neighbouring experts' values, and Brier scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.positions import PositionTable
from phasezoo.experiments.two_player.answers import (
    NEAR,
    Answers,
    Near,
    answers_of,
    near_boundaries,
)
from phasezoo.experiments.two_player.losses import TestedNetworks, drawn, placed
from phasezoo.experiments.two_player.measurements import (
    ALL,
    Boundaries,
    BoundaryPlace,
    BoundaryRow,
    BrierCell,
    BrierRow,
    Map,
)
from phasezoo.experiments.two_player.variants import EXPERT, ONE, mixture_name
from phasezoo.training.resampling import Means, Sample, means_of

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


MAPPED = ", recalibrated"
"""Ends the names of numbers that are of recalibrated values."""

Indices = npt.NDArray[np.int64]
Numbers = dict[str, Interval | None]


def measure(tested: TestedNetworks) -> Boundaries:
    """Ask the networks of every training about test positions, and compare what they say."""
    prepared, rows = tested.prepared, tested.rows
    validation, near = drawn(prepared, "validation"), near_boundaries(prepared.tables["test"], rows)
    found = []
    with tested.console.task("Values where phases meet", len(tested.trainings)) as task:
        for networks in tested.trainings:
            found.append(answers_of(tested, networks, near.rows, validation))
            task.update(len(found), f"{len(near):,} test positions near a boundary")
    store: Any = prepared.splits.test
    results = store.returns[rows.game, rows.player]
    rng, resamples = tested.rng("resampling the seam"), prepared.config.resamples
    return boundaries_of(prepared.phases, rows, near, results, found, rng, resamples)


def boundaries_of(
    phases: Sequence[str],
    rows: PositionTable,
    near: Near,
    results: npt.NDArray[np.float32],
    trainings: Sequence[Answers],
    rng: np.random.Generator,
    resamples: int,
) -> Boundaries:
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
    return Boundaries(
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
) -> BoundaryRow:
    return BoundaryRow(
        name=name,
        positions=int(which.sum()),
        boundaries=len(np.unique(near.boundary[which])),
        games=len(np.unique(game[near.rows[which]])),
        numbers=numbers,
    )


def _place(means: Means, offset: int) -> BoundaryPlace:
    kind = offset + NEAR
    return BoundaryPlace(
        offset=offset,
        experts=means.mean("apart", kind),
        placebo=means.mean("apart, placebo", kind),
        one=means.mean("step, one network", kind),
        mixture=means.mean("step, mixture", kind),
    )
