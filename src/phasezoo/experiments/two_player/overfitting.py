"""How much less networks lose on positions that they learned from than on new ones.

The M2CTS paper explains with it why experts lose if there are few data: each learns from fewer
different positions, and so fits those too closely.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import gating
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.positions import PositionTable, are_among
from phasezoo.experiments.two_player.preparation import Prepared
from phasezoo.experiments.two_player.tested import Array, TestedNetworks, evaluate
from phasezoo.experiments.two_player.variants import BASELINE, EXPERT, ONE
from phasezoo.training.data import LabelledSplits
from phasezoo.training.evaluation import PositionLosses
from phasezoo.training.experts.planned import Recipe
from phasezoo.training.experts.plans import PlannedTraining
from phasezoo.training.preparation import samplers_of
from phasezoo.training.resampling import over_trainings, resample_games, sums_by_game


@dataclass(frozen=True)
class GapRow:
    """Losses of a network on positions of a phase that it learned from, and on new ones."""

    name: str
    phase: str
    unique_positions: float
    """Different positions of the phase that it learned from, a mean over trainings."""
    learned: float | None = field(metadata={"once": "learnt"})
    """Total loss on a sample of them; None without any."""
    new: float | None
    """Total loss on test positions of the phase; None without any."""
    gap: Interval | None
    """New less learned."""
    beside: Interval | None
    """The gap less the one network's; None of the one network itself."""


@dataclass(frozen=True)
class Overfitting:
    """How closely one network and the expert of each phase fit what they learned from."""

    most: int
    """Positions of a phase, of either kind, at the most."""
    rows: list[GapRow]


MOST_POSITIONS = 4096
"""Positions of a phase that a network is measured on, of either kind."""


def measure(
    tested: TestedNetworks,
    planned: Sequence[PlannedTraining],
    folder: Path,
    recipe: Callable[[PlannedTraining], Recipe],
) -> Overfitting:
    """Compare losses on positions learned from and on test positions, phase by phase."""
    prepared, rows, rng = tested.prepared, tested.rows, tested.rng("overfitting")
    keys, counts = np.unique(prepared.tables["train"].key, return_counts=True)
    lone = keys[counts == 1]  # that no other training position equals, as test positions equal none
    ones = [network for network in planned if network.role == BASELINE]
    shown = {one.name: learned_positions(prepared, one, planned, recipe) for one in ones}
    found = []
    with tested.console.task("Losses on positions learned from", len(prepared.phases)) as task:
        for phase, name in enumerate(prepared.phases):
            experts = [n for n in planned if (n.role, n.phase) == (EXPERT, name)]
            shown |= {
                one.name: learned_positions(prepared, one, planned, recipe) for one in experts
            }
            test = _some(rows.of_phase(phase), rng)
            sides = {
                who: [
                    _learned(
                        prepared, folder / one.name, shown[one.name].of_phase(phase), lone, rng
                    )
                    for one in networks
                ]
                for who, networks in ((ONE, ones), (f"{name} expert", experts))
            }
            found += _rows(prepared, name, test, sides, rng)
            task.update(phase + 1, name)
    return Overfitting(MOST_POSITIONS, found)


@dataclass(frozen=True)
class _Learned:
    """Positions of a phase that a network learned from."""

    path: Path
    """The network's directory."""
    unique: int
    """Different positions."""
    losses: PositionLosses
    """On some of them that are met once."""


def _learned(
    prepared: Prepared,
    path: Path,
    rows: PositionTable,
    lone: npt.NDArray[np.uint64],
    rng: np.random.Generator,
) -> _Learned:
    once = _some(rows.select(are_among(rows.key, lone)), rng)
    (losses,) = evaluate(prepared, [path], prepared.splits.train, once)
    return _Learned(path, rows.num_unique(), losses)


def learned_positions(
    prepared: Prepared,
    network: PlannedTraining,
    planned: Sequence[PlannedTraining],
    recipe: Callable[[PlannedTraining], Recipe],
) -> PositionTable:
    """The training positions that a network saw, each once, with their phase under study.

    Of an expert that began with another network's weights those of its own training alone; of one
    that is a part of a network, those of that network.
    """
    if network.is_part:
        network = next(one for one in planned if one.name == network.start)
    how = recipe(network)
    tables = prepared.tables_of(network.gate)
    gate = gating.make(network.gate, prepared.config.game)
    labelled = LabelledSplits(prepared.splits, gate, tables["train"], tables["validation"])
    data, task = how.task(network, labelled, Path())
    store: Any = prepared.splits.train
    planes = store.game.plane_spec(task.planes, task.history)
    sampler = samplers_of(how.settings, data, planes, network.seed).train
    return data.train.select(np.unique(sampler.shown(network.positions)))


def _some(rows: PositionTable, rng: np.random.Generator) -> PositionTable:
    if len(rows) <= MOST_POSITIONS:
        return rows
    return rows.select(np.sort(rng.choice(len(rows), MOST_POSITIONS, replace=False)))


def _rows(
    prepared: Prepared,
    phase: str,
    test: PositionTable,
    sides: Mapping[str, Sequence[_Learned]],
    rng: np.random.Generator,
) -> list[GapRow]:
    """One network on a phase, and the phase's expert."""
    resamples = prepared.config.resamples
    new = {
        who: evaluate(prepared, [one.path for one in side], prepared.splits.test, test)
        for who, side in sides.items()
    }
    # The same draws of test games for everybody, so that differences have their chance in common.
    tested = np.stack([[losses.total for losses in each] for each in new.values()])
    fresh, fresh_drawn = _means(tested, test.game, rng, resamples)
    learned_games = [len(np.unique(one.losses.game)) for side in sides.values() for one in side]
    games = min(len(np.unique(test.game)), *learned_games)
    found: list[GapRow] = []
    gaps: list[tuple[Array, Array]] = []
    for index, (who, side) in enumerate(sides.items()):
        old = [
            _means(one.losses.total[None, None], one.losses.game, rng, resamples) for one in side
        ]
        learned = np.array([means[0, 0] for means, _ in old])
        learned_drawn = np.stack([resampled[:, 0, 0] for _, resampled in old], axis=1)
        gap = fresh[index] - learned, fresh_drawn[:, index] - learned_drawn
        beside = None
        if gaps:
            beside = over_trainings(gap[0] - gaps[0][0], gap[1] - gaps[0][1], games=games)
        gaps.append(gap)
        found.append(
            GapRow(
                name=who,
                phase=phase,
                unique_positions=float(np.mean([one.unique for one in side])),
                learned=_known(learned.mean()),
                new=_known(fresh[index].mean()),
                gap=over_trainings(*gap, games=games),
                beside=beside,
            )
        )
    return found


def _means(
    values: Array, games: npt.NDArray[Any], rng: np.random.Generator, resamples: int
) -> tuple[Array, Array]:
    """Means over positions of ``[S, K, P]`` and the same for R draws of games, ``[R, S, K]``."""
    found = resample_games(*sums_by_game(values, games), rng, resamples)
    return found.means, found.resampled


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
