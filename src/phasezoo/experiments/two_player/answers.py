"""Answers of experts and placebo near boundaries of phases, as trained and recalibrated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.positions import PositionTable
from phasezoo.experiments.statistics import over_trainings, resample_games
from phasezoo.experiments.two_player.losses import TestAnswers, evaluate
from phasezoo.experiments.two_player.preparation import Prepared
from phasezoo.experiments.two_player.variants import BASELINE, EXPERT, PLACEBO
from phasezoo.training.evaluation import PositionLosses
from phasezoo.training.resampling import sums_by_kind

MARGIN = 1e-3
"""Values are taken as if they were this far from -1 and 1 at least, where log-odds are infinite."""

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recalibration:
    """An affine map of a value's log-odds (Platt 1999)."""

    slope: float
    """Factor of the log-odds, 0 or more: below 1 the network was too sure of itself."""
    shift: float
    """Added to them: above 0 it thought too little of who is to move."""
    positions: int
    """Positions it was fitted to."""

    def __call__(self, values: npt.NDArray[Any]) -> Array:
        """Recalibrated values, in [-1, 1] as those given."""
        mapped: Array = np.tanh((self.slope * _log_odds(values) + self.shift) / 2)
        return mapped


def fitted(values: npt.NDArray[Any], results: npt.NDArray[Any]) -> Recalibration:
    """The map under which results are likeliest.

    Args:
        values: ``[P]`` in [-1, 1] for to_play.
        results: ``[P]``: 1, 0 or -1 for to_play.

    Returns:
        The map; of no positions the one that changes nothing.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    odds, score = _log_odds(values), (1 + results.astype(np.float64)) / 2
    unchanged = np.array([1.0, 0.0])

    def least(columns: Array, prior: Array) -> Array:
        """The least penalised loss: it is convex, and the penalty keeps its minimum unique."""

        def loss(chosen: Array) -> tuple[float, Array]:
            logits, away = columns @ chosen, chosen - prior
            cross_entropy = np.logaddexp(0, logits) - score * logits
            gradient = (expit(logits) - score) @ columns + away
            return float(cross_entropy.sum() + away @ away / 2), gradient

        def hessian(chosen: Array) -> Array:
            chance = expit(columns @ chosen)
            curved: Array = (columns.T * (chance * (1 - chance))) @ columns + np.eye(len(prior))
            return curved

        found = minimize(loss, prior, jac=True, hess=hessian, method="trust-exact")
        chosen: Array = found.x
        return chosen

    # Second derivatives, because L-BFGS stops far away where nearly all values are alike.
    slope, shift = least(np.stack([odds, np.ones_like(odds)], axis=1), unchanged)
    if slope < 0:  # of a convex loss the least one without negative slopes then has none
        slope, (shift,) = 0.0, least(np.ones((len(odds), 1)), unchanged[1:])
    return Recalibration(float(slope), float(shift), len(odds))


def _log_odds(values: npt.NDArray[Any]) -> Array:
    inside = np.clip(values.astype(np.float64), -1 + MARGIN, 1 - MARGIN)
    odds: Array = 2 * np.arctanh(inside)
    return odds


NEAR = 4
"""Plies to either side of a boundary that belong to it."""

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Near:
    """N positions near a boundary, by game and ply."""

    rows: Indices
    """``int64[N]``: their rows in the table that was asked about."""
    before: Indices
    """``int64[N]``: the phase before the boundary."""
    after: Indices
    """``int64[N]``: the phase after it."""
    boundary: Indices
    """``int64[N]``: which boundary, from 0; in all games."""
    offset: Indices
    """``int64[N]``: plies since the first position after it, from -4 to 3."""

    def __len__(self) -> int:
        """N."""
        return len(self.rows)

    def steps(self) -> tuple[Indices, Indices]:
        """Neighbouring plies of one boundary: places in these arrays, earlier and later ones."""
        follows = (np.diff(self.boundary) == 0) & (np.diff(self.offset) == 1)
        earlier = np.flatnonzero(follows)
        return earlier, earlier + 1


def near_boundaries(games: PositionTable, rows: PositionTable) -> Near:
    """Find the rows that lie near a boundary.

    Args:
        games: All positions of the games, in which the boundaries are.
        rows: The positions that are asked about.
    """
    order = np.lexsort((games.ply, games.game))
    game, ply, phase = (column[order] for column in (games.game, games.ply, games.phase))
    first = np.flatnonzero((game[1:] == game[:-1]) & (phase[1:] != phase[:-1])) + 1
    # One number for game and ply: plies of other games are farther away than NEAR.
    longest = int(ply.max(initial=0)) + 2 * NEAR + 1
    places = game[first].astype(np.int64) * longest + ply[first]
    asked = rows.game.astype(np.int64) * longest + rows.ply
    if len(places) == 0:
        nothing = np.empty(0, dtype=np.int64)
        return Near(nothing, nothing, nothing, nothing, nothing)
    later = np.searchsorted(places, asked, side="right")
    following, preceding = np.minimum(later, len(places) - 1), np.maximum(later - 1, 0)
    until = np.where(later < len(places), places[following] - asked, longest)
    since = np.where(later > 0, asked - places[preceding] + 1, longest)
    boundary = np.where(since <= until, preceding, following)
    found = np.flatnonzero(np.minimum(since, until) <= NEAR)
    found = found[np.argsort(asked[found], kind="stable")]
    nearest = boundary[found]
    return Near(
        rows=found,
        before=phase[first - 1][nearest].astype(np.int64),
        after=phase[first][nearest].astype(np.int64),
        boundary=nearest,
        offset=asked[found] - places[nearest],
    )


@dataclass(frozen=True)
class Sample:
    """A number of some positions."""

    values: Array
    """``float64[K, P]``: in each of K trainings."""
    game: Indices
    """``int64[P]``: the game of each, from 0."""
    kind: Indices
    """``int64[P]``: which of the kinds each belongs to."""


@dataclass(frozen=True)
class Means:
    """Means of named samples by kind; the last kind is all positions together."""

    _names: list[str]
    _means: Array
    _resampled: Array
    _games: Indices

    def mean(self, name: str, kind: int) -> Interval | None:
        """The mean of a sample over a kind, or None over nothing."""
        row = self._names.index(name)
        games = int(self._games[row, kind])
        return over_trainings(
            self._means[:, row, kind], self._resampled[:, :, row, kind], games=games
        )

    def difference(self, name: str, other: str, kind: int) -> Interval | None:
        """The mean of a sample less another's, the same games being drawn for both."""
        one, two = self._names.index(name), self._names.index(other)
        games = int(min(self._games[one, kind], self._games[two, kind]))
        return over_trainings(
            self._means[:, one, kind] - self._means[:, two, kind],
            self._resampled[:, :, one, kind] - self._resampled[:, :, two, kind],
            games=games,
        )

    def ratio(self, name: str, other: str, kind: int) -> Interval | None:
        """The mean of a sample by another's; None if that may be zero."""
        one, two = self._names.index(name), self._names.index(other)
        games = int(min(self._games[one, kind], self._games[two, kind]))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self._means[:, one, kind] / self._means[:, two, kind]
            drawn = self._resampled[:, :, one, kind] / self._resampled[:, :, two, kind]
        return over_trainings(found, drawn, games=games) if np.isfinite(found).all() else None


def means_of(
    samples: Mapping[str, Sample],
    kinds: int,
    games: int,
    rng: np.random.Generator,
    resamples: int,
) -> Means:
    """Take means by kind, and draw games again for their intervals.

    Args:
        samples: By name; all of as many trainings.
        kinds: How many kinds there are besides all together.
        games: How many games there are.
        rng: Draws them.
        resamples: Number of draws.
    """
    sums, counts = [], []
    for sample in samples.values():
        at = sample.game, sample.kind, games, kinds
        counts.append(sums_by_kind(None, *at))
        sums.append(np.stack([sums_by_kind(row, *at) for row in sample.values]))
    # [sample, training, game, kind] -> [game, training, sample, kind], as resample_games wants it
    stacked = np.transpose(np.stack(sums), (2, 1, 0, 3))
    positions = np.transpose(np.stack(counts), (1, 0, 2))
    found = resample_games(stacked, positions[:, None], rng, resamples)
    return Means(list(samples), found.means, found.resampled, (positions > 0).sum(axis=0))


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
