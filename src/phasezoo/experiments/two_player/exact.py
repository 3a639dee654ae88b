"""Moves of every mixture judged by perfect play, in games that know it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import agents, games, gating, inference
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import MissingDependency
from phasezoo.experiments.two_player.losses import ALL
from phasezoo.experiments.two_player.preparation import (
    Prepared,
    limit_text,
    load,
    loader,
    search_options,
)
from phasezoo.experiments.two_player.tested import Array, Mixture, TestedNetworks, TrainedNetworks
from phasezoo.experiments.two_player.variants import BASELINE, EXPERT, ONE, mixture_name
from phasezoo.games.random_play import random_games
from phasezoo.training.catalogue import ALL_POSITIONS
from phasezoo.training.resampling import (
    around,
    between_trainings,
    over_trainings,
    resample_games,
    sums_by_game,
)
from phasezoo.training.solved import SolvedPositions, moves_of


@dataclass(frozen=True)
class ExactRow:
    """Worth of a player's moves by perfect play."""

    name: str
    numbers: dict[str, dict[str, float | None]]
    """By metric, then by set of positions; means over trainings, None without positions."""
    differences: dict[str, Interval | None]
    """To the one network, by metric over all positions, with an interval that counts trainings;
    None with one training."""


@dataclass(frozen=True)
class Exact:
    """Moves of the mixtures and of the one network judged by perfect play."""

    positions: int
    kind: str | None
    """Which positions of the game these are all of; None: they are a sample."""
    searched: int
    """How many of them were searched too."""
    trainings: int
    rows: list[ExactRow]


LEARNED = "learned gate"
"""How the phase mixture's experts by a learned gate are called in tables."""

_DRAWN = 10
"""Random states that are drawn for each position that is wanted."""


def is_solved(prepared: Prepared) -> bool:
    """Return whether the game's perfect play is known, and what it needs is installed."""
    game = games.make(prepared.config.game)
    if game.solve is None:
        return False
    try:
        game.action_scores(game.initial_state(seed=0))
    except MissingDependency:
        return False
    return True


def measure(tested: TestedNetworks, gates: Sequence[str]) -> Exact:
    """Judge the moves of every mixture and of the one network."""
    prepared, trainings = tested.prepared, tested.trainings
    positions, origin = _positions(prepared)
    rng = np.random.default_rng(prepared.seed("searched positions"))
    count = min(prepared.config.searched_positions, len(positions))
    searched = np.sort(rng.permutation(len(positions))[:count])
    phase = gating.make(prepared.config.gate, prepared.config.game).batch(positions.states)
    judge = _Judge(prepared, positions, searched, phase)
    roles = [
        *(variant.role for variant in prepared.variants),
        *([LEARNED] if gates else []),
        BASELINE,
    ]
    found: dict[str, list[_Judged]] = {role: [] for role in roles}
    with tested.console.task("Moves by perfect play", len(trainings) * len(roles)) as task:
        done = 0
        for training, networks in enumerate(trainings):
            for role in roles:
                own, gate = (EXPERT, gates[training]) if role == LEARNED else (role, None)
                found[role].append(judge.judged(own, networks, gate))
                done += 1
                task.update(done, f"{len(positions):,} positions")
    rows = [
        ExactRow(
            {BASELINE: ONE, LEARNED: LEARNED}.get(role) or mixture_name(role),
            _means([one.numbers for one in judged]),
            {} if role == BASELINE else _differences(prepared, origin, judged, found[BASELINE]),
        )
        for role, judged in found.items()
    ]
    return Exact(len(positions), positions.kind, count, len(trainings), rows)


_Numbers = dict[str, dict[str, float]]
"""By metric, then by set of positions; nan without positions."""


@dataclass(frozen=True)
class _Judged:
    """Worth of the moves of one mixture, or of the one network, of one training."""

    numbers: _Numbers
    """Means."""
    drawn: dict[str, Array]
    """Of every metric that was taken on drawn positions and not on all of the game, its value at
    each position; nan where it asks nothing."""


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

    def judged(self, role: str, trained: TrainedNetworks, gate: str | None) -> _Judged:
        evaluator = self._evaluator(role, trained, gate)
        positions, policy = self._positions, self._positions.policy(evaluator)
        chosen = positions.likeliest(policy)
        likeliest = positions.worth(chosen)
        values = {
            "regret": likeliest.lost,
            "perfect moves": np.where(self._counts, likeliest.kept, np.nan),
            "best moves": likeliest.best,
            "distance lost": likeliest.distance,
            "regret, drawn": positions.worth(policy).lost,
        }
        if positions.win_chances is not None:
            values["won"] = positions.win_chances(chosen)
            values["won, drawn"] = positions.win_chances(policy)
        has_all = positions.kind is not None
        drawn = {} if has_all else dict(values)
        if len(self._searched):
            worth = positions.worth(self._search(evaluator))
            limit = limit_text(self._prepared.config)
            among = np.zeros(len(positions), dtype=bool)
            among[self._searched] = True
            for name, metric in (("regret", worth.lost), ("best moves", worth.best)):
                values[f"{name}, {limit}"] = at_searched = np.where(among, metric, np.nan)
                if not has_all or len(self._searched) < len(positions):
                    drawn[f"{name}, {limit}"] = at_searched
        return _Judged({name: self._by_column(one) for name, one in values.items()}, drawn)

    def _evaluator(self, role: str, trained: TrainedNetworks, gate: str | None) -> Any:
        config = self._prepared.config
        if role == BASELINE:
            return load(config, trained[BASELINE][0])
        variant = next(variant for variant in self._prepared.variants if variant.role == role)
        return inference.MixtureOfExperts(
            **Mixture.of(self._prepared, variant, trained).loaded(loader(config)),
            gate=gating.make(variant.gate, config.game),
            routing=config.routing,
            search_gate=gate,
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

    def _by_column(self, values: Array) -> dict[str, float]:
        asked = np.isfinite(values)
        return {
            name: float(values[column & asked].mean()) if (column & asked).any() else float("nan")
            for name, column in self._columns.items()
        }


def _positions(prepared: Prepared) -> tuple[SolvedPositions, npt.NDArray[np.int64]]:
    """All positions of the game, or different ones of random games that are not in train.

    Also ``int64[P]``: what each was drawn with, which is its random game. Positions of one game
    resemble each other.
    """
    config = prepared.config
    if config.game in ALL_POSITIONS:
        everything = ALL_POSITIONS[config.game]()
        return everything, np.arange(len(everything))
    game = games.make(config.game)
    seed = prepared.seed("exact positions")
    played = random_games(game, _DRAWN * config.exact_positions, seed)
    drawn = [state for states in played for state in states]
    origin = np.repeat(np.arange(len(played)), list(map(len, played)))
    keys = np.array([state.key for state in drawn], dtype=np.uint64)
    _, first = np.unique(keys, return_index=True)
    new = first[~np.isin(keys[first], prepared.tables["train"].key)]
    chosen = np.random.default_rng(seed).permutation(new)[: config.exact_positions]
    return _judged(config.game, tuple(drawn[row] for row in chosen)), origin[chosen]


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
    prepared: Prepared,
    origin: npt.NDArray[np.int64],
    ours: Sequence[_Judged],
    theirs: Sequence[_Judged],
) -> dict[str, Interval | None]:
    """Training by training, as both began from the same weights; none with one training.

    Intervals count trainings, and the draw of positions where a metric does not have them all:
    those of one random game together.
    """
    found: dict[str, Interval | None] = dict.fromkeys(ours[0].numbers)
    if len(ours) == 1:
        return found
    pairs = list(zip(ours, theirs, strict=True))
    for metric in found:
        values = np.array([a.numbers[metric][ALL] - b.numbers[metric][ALL] for a, b in pairs])
        if not np.isfinite(values).all():
            continue
        if metric in ours[0].drawn:
            each = np.array([[one.drawn[metric] for one in pair] for pair in pairs])
            rng = np.random.default_rng(prepared.seed("drawn positions", metric))
            sums, counts = sums_by_game(each, origin)
            means = resample_games(sums, counts, rng, prepared.config.resamples).resampled
            asked = int((counts > 0).sum(axis=0).min())
            found[metric] = over_trainings(values, means[..., 0] - means[..., 1], games=asked)
        else:
            found[metric] = around(float(values.mean()), between_trainings(values))
    return found
