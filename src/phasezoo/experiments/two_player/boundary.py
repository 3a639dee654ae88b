"""Measurements where phases meet: neighbouring experts' values, and Brier scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.boundaries import NEAR, Near, near_boundaries
from phasezoo.data.positions import PositionTable
from phasezoo.experiments.two_player.losses import ALL, CONSTANT
from phasezoo.experiments.two_player.tested import (
    Array,
    Indices,
    TestedNetworks,
    drawn,
    evaluate,
    placed,
)
from phasezoo.experiments.two_player.variants import BASELINE, EXPERT, ONE, PLACEBO, mixture_name
from phasezoo.inference.recalibration import Recalibration, fitted
from phasezoo.training.evaluation import PositionLosses
from phasezoo.training.resampling import Means, Sample, means_of


@dataclass(frozen=True)
class BoundaryRow:
    """The boundary between two phases, or all boundaries."""

    name: str
    """The phases, or ``all``."""
    positions: int
    """Test positions near a boundary of this kind."""
    boundaries: int
    """Boundaries that these lie near."""
    games: int
    numbers: dict[str, Interval | None]
    """By the names of ``docs/definitions/boundaries.md#numbers``; None if nothing was measured."""


@dataclass(frozen=True)
class BoundaryPlace:
    """Means over all boundaries at the same number of plies from them."""

    offset: int
    """Plies since the first position after the boundary."""
    experts: Interval | None
    """Mean size of the difference between the two experts' values."""
    placebo: Interval | None
    """The same between any two of the placebo's experts; None if there is none."""
    one: Interval | None
    """Mean size of one network's change from the ply before."""
    mixture: Interval | None
    """The same of the mixture."""


@dataclass(frozen=True)
class BrierCell:
    """Brier scores of one network or mixture on one set of test positions; less is better."""

    positions: int
    score: Interval | None
    """Of the value as expected score, from 0 to 1."""
    wdl: Interval | None
    """Of win, draw and loss, from 0 to 2; None of networks without them and of recalibrated
    values."""
    against: Interval | None
    """``score`` less one network's as trained."""
    gained: Interval | None
    """``score`` less that of the same network or mixture as trained; None of that itself."""


@dataclass(frozen=True)
class BrierRow:
    """A network or mixture."""

    name: str
    phase: str | None
    """The phase of an expert, otherwise None."""
    recalibrated: bool
    """True for recalibrated values; one network's by a map for each phase."""
    cells: dict[str, BrierCell]
    """By test set."""


@dataclass(frozen=True, kw_only=True)
class Map(Recalibration):
    """Recalibration of an expert or of the one network, of one training."""

    name: str
    """Whose."""
    phase: str
    """The phase of the positions that it was fitted to."""
    training: int


@dataclass(frozen=True)
class Boundaries:
    """Everything found where phases meet."""

    near: int
    """Plies to either side of a boundary."""
    games: int
    """Test games."""
    rows: list[BoundaryRow]
    """Kinds of boundaries, all of them first."""
    places: list[BoundaryPlace]
    """By plies from the boundary."""
    brier: list[BrierRow]
    """Experts, mixture and one network, as trained and recalibrated."""
    maps: list[Map]

    def maps_of(self, name: str, training: int) -> dict[str, Map]:
        """The recalibrations of one training's experts, or of its one network, by phase."""
        return {one.phase: one for one in self.maps if (one.name, one.training) == (name, training)}


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
    placebo: Array | None
    """``float64[m, N]``: of the placebo's experts, on the N rows near a boundary; None if there is
    none."""
    expert_maps: Sequence[Recalibration]
    """Of each phase's expert, by validation positions of its phase."""
    one_maps: Sequence[Recalibration]
    """Of the one network, by validation positions of each phase."""

    def values(self, phase: Indices, *, mapped: bool) -> tuple[Array, Array]:
        """``float64[n, P]`` of the experts and ``float64[P]`` of the one network.

        Args:
            phase: ``int64[P]``: phase of each position, by which one network's map is chosen.
            mapped: True for recalibrated values.
        """
        if not mapped:
            return self.experts, self.one
        pairs = zip(self.expert_maps, self.experts, strict=True)
        experts = np.stack([change(values) for change, values in pairs])
        return experts, placed(np.stack([change(self.one) for change in self.one_maps]), phase)


def _answers_of(
    tested: TestedNetworks,
    networks: Mapping[str, Sequence[Path]],
    near: Indices,
    validation: PositionTable,
) -> Answers:
    """Ask the networks of one training.

    ``near`` are the rows of test positions near a boundary; values are recalibrated by
    ``validation``.
    """
    prepared = tested.prepared
    experts, baseline = networks[EXPERT], networks[BASELINE]
    one, own = tested.of(networks)
    has_wdl = all(found.wdl is not None for found in (one, *own))
    placebo = None
    if PLACEBO in networks:
        some = tested.rows.select(near)
        found = evaluate(prepared, networks[PLACEBO], prepared.splits.test, some)
        placebo = np.stack([_kept(losses.answer) for losses in found])
    expert_maps, one_maps = [], []
    for phase, path in enumerate(experts):
        some = validation.of_phase(phase)
        measured = evaluate(prepared, [*baseline, path], prepared.splits.validation, some)
        one_maps.append(_map_of(measured[0]))
        expert_maps.append(_map_of(measured[1]))
    return Answers(
        experts=np.stack([_kept(found.answer) for found in own]),
        one=_kept(one.answer),
        experts_wdl=np.stack([_kept(found.wdl) for found in own]) if has_wdl else None,
        one_wdl=_kept(one.wdl) if has_wdl else None,
        placebo=placebo,
        expert_maps=expert_maps,
        one_maps=one_maps,
    )


def _map_of(found: PositionLosses) -> Recalibration:
    return fitted(_kept(found.answer), _kept(found.result))


def _kept(column: npt.NDArray[Any] | None) -> Array:
    return np.empty(0) if column is None else column.astype(np.float64)


@dataclass(frozen=True)
class _Player:
    """An expert, the mixture or the one network, of K trainings."""

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


def _players(
    phases: Sequence[str], phase: Indices, trainings: Sequence[Answers], *, mapped: bool
) -> list[_Player]:
    """Return every expert, then the mixture and the one network."""
    experts, one = map(
        np.stack,
        zip(*(answers.values(phase, mapped=mapped) for answers in trainings), strict=True),
    )
    one_wdl = [a.one_wdl for a in trainings if a.one_wdl is not None and not mapped]
    all_wdl = [a.experts_wdl for a in trainings if a.experts_wdl is not None]
    has_wdl = len(one_wdl) == len(trainings)

    def mixed(values: Sequence[Array]) -> Array:
        return np.stack([placed(each, phase) for each in values])

    found = [
        _Player(
            f"{name} expert",
            name,
            mapped,
            experts[:, index],
            np.stack([each[index] for each in all_wdl]) if has_wdl else None,
        )
        for index, name in enumerate(phases)
    ]
    mixture = mixed(list(experts)), mixed(all_wdl) if has_wdl else None
    found.append(_Player(mixture_name(EXPERT), None, mapped, *mixture))
    found.append(_Player(ONE, None, mapped, one, np.stack(one_wdl) if has_wdl else None))
    return found


def _score_error(values: Array, results: npt.NDArray[np.float32]) -> Array:
    """``[..., P]``: squared error of (1 + v) / 2 against the points: 1, 1/2 or 0."""
    error: Array = np.square((values - results) / 2)
    return error


def _wdl_error(wdl: Array, results: npt.NDArray[np.float32]) -> Array:
    """``[..., P]``: squared error summed over win, draw and loss (Brier 1950)."""
    happened = np.stack([results > 0, results == 0, results < 0], axis=-1)
    error: Array = np.square(wdl - happened).sum(axis=-1)
    return error


def _brier_rows(
    phases: Sequence[str],
    rows: PositionTable,
    game: Indices,
    results: npt.NDArray[np.float32],
    trainings: Sequence[Answers],
    rng: np.random.Generator,
    resamples: int,
    shares: Array | None = None,
) -> list[BrierRow]:
    """Score every expert, the mixture and the one network, as trained and recalibrated."""
    phase = rows.phase.astype(np.int64)
    asked = [
        player
        for mapped in (False, True)
        for player in _players(phases, phase, trainings, mapped=mapped)
    ]
    if shares is not None:
        chances = np.broadcast_to(shares[phase], (len(trainings), len(phase), 3))
        asked.append(_Player(CONSTANT, None, False, chances[..., 0] - chances[..., 2], chances))
    samples = {}
    for row in asked:
        samples[row.key] = Sample(_score_error(row.values, results), game, phase)
        if row.wdl is not None:
            samples[f"wdl {row.key}"] = Sample(_wdl_error(row.wdl, results), game, phase)
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


def _cell(means: Means, row: _Player, kind: int, positions: int) -> BrierCell:
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


def measure(tested: TestedNetworks) -> Boundaries:
    """Ask the networks of every training about test positions, and compare what they say."""
    prepared, rows = tested.prepared, tested.rows
    validation, near = drawn(prepared, "validation"), near_boundaries(prepared.tables["test"], rows)
    found = []
    with tested.console.task("Values where phases meet", len(tested.trainings)) as task:
        for networks in tested.trainings:
            found.append(_answers_of(tested, networks, near.rows, validation))
            task.update(len(found), f"{len(near):,} test positions near a boundary")
    store: Any = prepared.splits.test
    results = store.returns[rows.game, rows.player]
    rng, resamples = tested.rng("resampling the seam"), prepared.config.resamples
    shares = tested.shares_of_results
    return boundaries_of(prepared.phases, rows, near, results, found, rng, resamples, shares)


def boundaries_of(
    phases: Sequence[str],
    rows: PositionTable,
    near: Near,
    results: npt.NDArray[np.float32],
    trainings: Sequence[Answers],
    rng: np.random.Generator,
    resamples: int,
    shares: Array | None = None,
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
        shares: ``float64[n, 3]``: shares of won, drawn and lost training positions of each phase,
            which stand beside the networks' values; None: no such row.
    """
    _, game = np.unique(rows.game, return_inverse=True)
    games = int(game.max(initial=-1)) + 1
    samples = _samples(phases, rows, near, trainings, game)
    has_placebo = "apart, placebo" in samples
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
            BoundaryRow(
                name=name,
                positions=int(which.sum()),
                boundaries=len(np.unique(near.boundary[which])),
                games=len(np.unique(game[near.rows[which]])),
                numbers=_numbers(by_kind, column, has_placebo=has_placebo),
            )
            for name, which, column in zip(names, chosen, columns, strict=True)
        ],
        places=[
            BoundaryPlace(
                offset=kind - NEAR,
                experts=by_place.mean("apart", kind),
                placebo=by_place.mean("apart, placebo", kind) if has_placebo else None,
                one=by_place.mean("step, one network", kind),
                mixture=by_place.mean("step, mixture", kind),
            )
            for kind in range(2 * NEAR)
        ],
        brier=_brier_rows(phases, rows, game, results, trainings, rng, resamples, shares),
        maps=[
            Map(**vars(one), name=name, phase=phases[phase], training=training)
            for training, answers in enumerate(trainings)
            for name, maps in ((EXPERT, answers.expert_maps), (ONE, answers.one_maps))
            for phase, one in enumerate(maps)
        ],
    )


def _samples(
    phases: Sequence[str],
    rows: PositionTable,
    near: Near,
    trainings: Sequence[Answers],
    game: Indices,
) -> dict[str, tuple[Array, Indices, Indices]]:
    """Values in each training, games, and places among those near, by name."""
    phase = rows.phase.astype(np.int64)
    own = game[near.rows]
    side = 1.0 - 2.0 * rows.player[near.rows]  # turns a value for to_play into the first player's
    earlier, later = near.steps()
    crossing = near.offset[later] == 0
    everything = np.arange(len(near))
    found: dict[str, tuple[Array, Indices, Indices]] = {}
    for end, mapped in (("", False), (MAPPED, True)):
        *experts, mixture, one = _players(phases, phase, trainings, mapped=mapped)
        values = np.stack([expert.values[:, near.rows].T for expert in experts])
        apart = np.ascontiguousarray((placed(values, near.after) - placed(values, near.before)).T)
        found["apart" + end] = (np.abs(apart), own, everything)
        found["for to_play" + end] = (apart, own, everything)
        found["for the first player" + end] = (apart * side, own, everything)
        for who, player in (("mixture", mixture), (ONE, one)):
            seen = player.values[:, near.rows] * side
            steps = np.abs(seen[:, later] - seen[:, earlier])
            found[f"step, {who}{end}"] = (steps, own[later], later)
            across = later[crossing]
            found[f"crossing, {who}{end}"] = (steps[:, crossing], own[across], across)
    placebos = [answers.placebo for answers in trainings if answers.placebo is not None]
    if placebos:
        pairs = np.stack([_any_two(values) for values in placebos])
        found["apart, placebo"] = (pairs, own, everything)
    return found


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


def _numbers(means: Means, kind: int, *, has_placebo: bool) -> dict[str, Interval | None]:
    """The numbers of ``docs/definitions/boundaries.md#numbers``."""
    found: dict[str, Interval | None] = {}
    for end in ("", MAPPED):
        for name in ("apart", "for to_play", "for the first player"):
            found[name + end] = means.mean(name + end, kind)
        step = f"step, one network{end}"
        found[step] = means.mean(step, kind)
        found["apart by step" + end] = means.ratio("apart" + end, step, kind)
        crossing = [f"crossing, {who}{end}" for who in ("mixture", "one network")]
        found |= {name: means.mean(name, kind) for name in crossing}
        found["crossing, difference" + end] = means.difference(crossing[0], crossing[1], kind)
    if has_placebo:
        found["apart, placebo"] = means.mean("apart, placebo", kind)
        found["apart − placebo"] = means.difference("apart", "apart, placebo", kind)
    found["apart, gained"] = means.difference("apart" + MAPPED, "apart", kind)
    return found
