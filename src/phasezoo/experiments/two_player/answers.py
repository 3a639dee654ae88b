"""Answers of experts and placebo near boundaries of phases, as trained and recalibrated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.data.positions import PositionTable
from phasezoo.experiments.two_player.losses import TestedNetworks, evaluate, placed
from phasezoo.experiments.two_player.variants import BASELINE, EXPERT, PLACEBO
from phasezoo.training.evaluation import PositionLosses

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
    """Find the rows that lie near a boundary."""
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


def answers_of(
    tested: TestedNetworks,
    networks: Mapping[str, Sequence[Path]],
    near: npt.NDArray[np.int64],
    validation: PositionTable,
) -> Answers:
    """Ask the networks of one training.

    Args:
        tested: Everything that is tested.
        networks: The directories of this training's networks by role.
        near: Which test positions lie near a boundary.
        validation: Validation positions that values are recalibrated by.
    """
    prepared = tested.prepared
    experts, baseline = networks[EXPERT], networks[BASELINE]
    one, own = tested.of(networks)
    has_wdl = all(found.wdl is not None for found in (one, *own))
    beside = evaluate(prepared, networks[PLACEBO], prepared.splits.test, tested.rows.select(near))
    expert_maps, one_maps = [], []
    for phase, path in enumerate(experts):
        some = validation.of_phase(phase)
        measured = evaluate(prepared, [*baseline, path], prepared.splits.validation, some)
        one_maps.append(_map_of(measured[0]))
        expert_maps.append(_map_of(measured[1]))
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
