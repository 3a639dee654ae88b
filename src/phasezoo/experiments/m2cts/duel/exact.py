"""Moves of every mixture judged by perfect play, in games that know it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import agents, games, gating, inference
from phasezoo.arena.elo import Interval
from phasezoo.errors import MissingDependency
from phasezoo.experiments.console import Console
from phasezoo.experiments.m2cts.duel.arms import BASELINE, EXPERT, ONE, mixture_name
from phasezoo.experiments.m2cts.duel.loading import load
from phasezoo.experiments.m2cts.duel.matches import search_options
from phasezoo.experiments.m2cts.duel.preparation import Prepared
from phasezoo.experiments.m2cts.duel.results import ALL, Exact, ExactRow
from phasezoo.experiments.statistics import between_trainings
from phasezoo.games.random_play import random_states
from phasezoo.training.probes.catalogue import ALL_POSITIONS
from phasezoo.training.solved import moves_of
from phasezoo.training.solved_positions import SolvedPositions

__all__ = ["LEARNED", "is_solved", "measure"]

LEARNED = "learned gate"
"""How the phase mixture's experts by a learned gate are called in tables."""

_DRAWN = 10
"""Random states that are drawn for each position that is wanted."""

Array = npt.NDArray[np.float64]


def is_solved(prepared: Prepared) -> bool:
    """Whether perfect play of the run's game is known, and what it needs is installed."""
    game = games.make(prepared.config.game)
    if game.solve is None:
        return False
    try:
        game.action_scores(game.initial_state(seed=0))
    except MissingDependency:
        return False
    return True


def measure(
    prepared: Prepared,
    trainings: Sequence[Mapping[str, Sequence[Path]]],
    gates: Sequence[str],
    console: Console,
) -> Exact:
    """Judge the moves of every mixture and of the one network.

    Args:
        prepared: The run's settings and games.
        trainings: Directories of the networks of each training by role.
        gates: Of each training, the learned gate that chooses among the phase mixture's experts;
            none: there are no such gates.
        console: Where progress is shown.
    """
    positions = _positions(prepared)
    rng = np.random.default_rng(prepared.seed("searched positions"))
    count = min(prepared.config.searched_positions, len(positions))
    searched = np.sort(rng.permutation(len(positions))[:count])
    phase = gating.make(prepared.config.gate, prepared.config.game).batch(positions.states)
    judge = _Judge(prepared, positions, searched, phase)
    roles = [*(arm.role for arm in prepared.arms), *([LEARNED] if gates else []), BASELINE]
    found: dict[str, list[_Numbers]] = {role: [] for role in roles}
    with console.task("Moves by perfect play", len(trainings) * len(roles)) as task:
        done = 0
        for training, networks in enumerate(trainings):
            for role in roles:
                own, gate = (EXPERT, gates[training]) if role == LEARNED else (role, None)
                found[role].append(judge.numbers(own, networks[own], gate))
                done += 1
                task.update(done, f"{len(positions):,} positions")
    rows = [
        ExactRow(
            {BASELINE: ONE, LEARNED: LEARNED}.get(role) or mixture_name(role),
            _means(numbers),
            {} if role == BASELINE else _differences(numbers, found[BASELINE]),
        )
        for role, numbers in found.items()
    ]
    return Exact(len(positions), positions.kind, count, len(trainings), rows)


_Numbers = dict[str, dict[str, float]]
"""By metric, then by set of positions; nan without positions."""


class _Judge:
    """Judges one mixture, or the one network, of one training."""

    def __init__(
        self,
        prepared: Prepared,
        positions: SolvedPositions,
        searched: npt.NDArray[np.int64],
        phase: npt.NDArray[np.int64],
    ) -> None:
        self._prepared = prepared
        self._positions = positions
        self._searched = searched
        everything = np.ones(len(positions), dtype=bool)
        by_phase = {name: phase == index for index, name in enumerate(prepared.phases)}
        self._columns = {**by_phase, ALL: everything}
        self._counts = positions.counts

    def numbers(self, role: str, paths: Sequence[Path], gate: str | None) -> _Numbers:
        evaluator = self._evaluator(role, paths, gate)
        positions, policy = self._positions, self._positions.policy(evaluator)
        likeliest = positions.worth(positions.likeliest(policy))
        drawn = positions.worth(policy)
        found = {
            "regret": self._by_column(likeliest.lost),
            "perfect moves": self._by_column(np.where(self._counts, likeliest.kept, np.nan)),
            "best moves": self._by_column(likeliest.best),
            "distance lost": self._by_column(likeliest.distance),
            "regret, drawn": self._by_column(drawn.lost),
        }
        if positions.win_chances is not None:
            found["won"] = self._by_column(positions.win_chances(positions.likeliest(policy)))
            found["won, drawn"] = self._by_column(positions.win_chances(policy))
        if len(self._searched):
            worth = positions.worth(self._search(evaluator))
            nodes = f"{self._prepared.config.nodes} nodes"
            found[f"regret, {nodes}"] = self._by_column(worth.lost, searched=True)
            found[f"best moves, {nodes}"] = self._by_column(worth.best, searched=True)
        return found

    def _evaluator(self, role: str, paths: Sequence[Path], gate: str | None) -> Any:
        config = self._prepared.config
        loaded = [load(config, path) for path in paths]
        if role == BASELINE:
            return loaded[0]
        arm = next(arm for arm in self._prepared.arms if arm.role == role)
        names = self._prepared.labelled[arm.gate]["train"].names
        experts = dict(zip(names, loaded, strict=True))
        return inference.MixtureOfExperts(
            experts, gating.make(arm.gate, config.game), "exact", search_gate=gate
        )

    def _search(self, evaluator: Any) -> Array:
        """1 for the action that a search chooses, in the positions that are searched."""
        positions = self._positions
        options = search_options(self._prepared.config)
        agent = agents.MCTSAgent(evaluator, **options)
        states = [positions.states[row] for row in self._searched]
        chosen = np.zeros(len(positions.actions))
        moves = moves_of(agent, states, self._prepared.seed("search"))
        for row, action in zip(self._searched, moves, strict=True):
            begin, end = positions.offsets[row : row + 2]
            chosen[begin + np.searchsorted(positions.actions[begin:end], action)] = 1.0
        return chosen

    def _by_column(self, values: Array, *, searched: bool = False) -> dict[str, float]:
        asked = np.isfinite(values)
        if searched:
            among = np.zeros(len(values), dtype=bool)
            among[self._searched] = True
            asked &= among
        return {
            name: float(values[column & asked].mean()) if (column & asked).any() else float("nan")
            for name, column in self._columns.items()
        }


def _positions(prepared: Prepared) -> SolvedPositions:
    """All positions of the game, or different ones of random games that are not in train."""
    config = prepared.config
    if config.game in ALL_POSITIONS:
        return ALL_POSITIONS[config.game]()
    game = games.make(config.game)
    drawn = random_states(game, _DRAWN * config.exact_positions, prepared.seed("exact positions"))
    keys = np.array([state.key for state in drawn], dtype=np.uint64)
    _, first = np.unique(keys, return_index=True)
    new = first[~np.isin(keys[first], prepared.tables["train"].key)]
    rng = np.random.default_rng(prepared.seed("exact positions"))
    chosen = rng.permutation(new)[: config.exact_positions]
    return _judged(config.game, tuple(drawn[row] for row in chosen))


@lru_cache(maxsize=1)
def _judged(game: str, states: tuple[Any, ...]) -> SolvedPositions:
    """Kept, because comparisons at several sizes judge moves in the same positions."""
    return SolvedPositions.of(games.make(game), states)


def _means(trainings: Sequence[_Numbers]) -> dict[str, dict[str, float | None]]:
    found: dict[str, dict[str, float | None]] = {}
    for metric, columns in trainings[0].items():
        found[metric] = {}
        for column in columns:
            mean = float(np.mean([numbers[metric][column] for numbers in trainings]))
            found[metric][column] = mean if np.isfinite(mean) else None
    return found


def _differences(
    ours: Sequence[_Numbers], theirs: Sequence[_Numbers]
) -> dict[str, Interval | None]:
    """Training by training, as both began from the same weights."""
    found: dict[str, Interval | None] = {}
    for metric in ours[0]:
        pairs = zip(ours, theirs, strict=True)
        values = np.array([one[metric][ALL] - other[metric][ALL] for one, other in pairs])
        if len(values) == 1 or not np.isfinite(values).all():
            found[metric] = None
            continue
        mean, half = float(values.mean()), between_trainings(values)
        found[metric] = Interval(mean, mean - half, mean + half) if half > 0 else None
    return found
