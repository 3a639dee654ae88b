"""Measurements of networks on the positions of stored games, by phase, band and distance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.agents import Limit, MCTSAgent
from phasezoo.arena.statistics.intervals import MIN_PAIRS, Interval
from phasezoo.arena.streams import stream
from phasezoo.data.batches import own_first
from phasezoo.data.positions import PositionTable
from phasezoo.data.store import GameStore
from phasezoo.experiments.auditing.config import AuditConfig
from phasezoo.experiments.auditing.positions import (
    METRICS,
    Answers,
    Array,
    Indices,
    Subjects,
    answers_of,
    bands_of,
    batches_of,
    happened_of,
    positions_of,
)
from phasezoo.experiments.matches import MatchSummary
from phasezoo.experiments.study import RunResults
from phasezoo.inference import Evaluation
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import Leaves, evaluate_leaves, name_of
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.report.console import Console
from phasezoo.training.resampling import Sample, means_of

ALL = "all"
"""Name of all phases together, and of all positions of a phase."""

CONSTANT = "constant"
"""Name of the rows that know no position: equal probabilities of all legal actions, the mean result
of the row's positions, and the shares of its wins, draws and losses."""


@dataclass(frozen=True)
class Score:
    """A network, or constants, on one set of positions."""

    network: str
    phase: str
    """Phase, or ``all``."""
    group: str
    """Band of ratings or distance to a boundary, or ``all``."""
    positions: int
    games: int
    means: dict[str, Interval | None]
    """By metric; None without an answer of that kind."""
    gains: dict[str, Interval | None]
    """Differences to the constant on the same positions; empty for constants."""


@dataclass(frozen=True)
class Bin:
    """Positions of a phase whose expected score lies in one bin."""

    network: str
    phase: str
    low: float
    high: float
    positions: int
    expected: float
    """Mean expected score."""
    happened: Interval | None
    """Mean score of the games."""


@dataclass(frozen=True)
class Calibration:
    """Expected calibration error of a network in a phase, or in all of them."""

    network: str
    phase: str
    error: float
    by_chance: float | None
    """Error that 19 of 20 networks stay below whose bins get what they expect; None: too few games,
    or not measured.

    An interval by drawing games again would not hold the true error: each draw adds the upward bias
    of a mean of distances once more.
    """


@dataclass(frozen=True)
class Jump:
    """Mean change of the value from one ply to the next, for one player."""

    network: str
    name: str
    """``opening → middlegame``, ``inside opening``, ``all boundaries`` or ``inside phases``."""
    steps: int
    size: Interval | None
    against: Interval | None = None
    """Of all boundaries: less the change inside phases."""


@dataclass(frozen=True)
class Agreement:
    """Two networks on the positions of a phase, or of all."""

    first: str
    second: str
    phase: str
    same: Interval | None
    """Share of positions at which both find the same action likeliest."""
    apart: Interval | None
    """Mean size of the difference of their values."""


@dataclass(frozen=True)
class LeafShare:
    """Leaves outside the root's phase among the first leaves of searches."""

    network: str
    phase: str
    """Phase of the roots."""
    nodes: int
    """Leaves that count, of each search."""
    searches: int
    share: Interval | None


@dataclass(frozen=True)
class Played:
    """The first network with one part of one phase from the second, against the first."""

    phase: str
    part: str
    """``policy`` or ``value``."""
    match: MatchSummary


@dataclass(frozen=True)
class Measured:
    """Measurements that need no search."""

    phases: list[str]
    positions: dict[str, int]
    """By phase."""
    games: int
    left_out: int
    """Positions after the end of their game by the rules."""
    draws: dict[str, float]
    """Share of positions by phase, and of all, whose game was drawn."""
    scores: list[Score]
    bins: list[Bin]
    calibration: list[Calibration]
    jumps: list[Jump]
    agreement: list[Agreement]


@dataclass(frozen=True)
class Results(RunResults):
    """Everything an audit found."""

    config: AuditConfig
    game: str
    measured: Measured
    leaves: list[LeafShare]
    played: list[Played]


def measure(subjects: Subjects, config: AuditConfig, console: Console) -> Measured:
    """Ask every network about every position of the games, and compare with the games."""
    rows, distances = positions_of(subjects, config)
    results = own_first(subjects.store.returns[rows.game], rows.player)[:, 0].astype(np.float64)
    answers, legal, alive = answers_of(subjects, rows, results, config, console)
    asked = len(rows)
    rows, distances = (
        rows.select(alive),
        [d for d, kept in zip(distances, alive, strict=True) if kept],
    )
    results = results[alive]
    places = _Places(rows, config)
    kinds: list[tuple[list[tuple[str, str]], Indices]] = [
        ([(ALL, ALL)], np.zeros(len(rows), np.int64)),
        ([(name, ALL) for name in rows.names], rows.phase.astype(np.int64)),
    ]
    groups = [distances]
    if config.bands:
        groups.insert(0, bands_of(subjects.store, rows, config.bands))
    for each in groups:
        names, number = np.unique(np.array(each, dtype=str), return_inverse=True)
        kinds.append(([(ALL, str(name)) for name in names], number.astype(np.int64)))
        both = [(phase, str(name)) for phase in rows.names for name in names]
        kinds.append((both, rows.phase.astype(np.int64) * len(names) + number))
    scores = []
    for named, kind in kinds:
        scores += _scores(answers, legal, results, named, kind, places)
    totals = {name: int(n) for name, n in zip(rows.names, rows.positions_per_phase(), strict=True)}
    drawn = {
        name: float((results[rows.phase == k] == 0).mean())
        for k, name in enumerate(rows.names)
        if totals[name]
    }
    return Measured(
        phases=list(rows.names),
        positions=totals,
        games=places.games,
        left_out=asked - len(rows),
        draws={**drawn, ALL: float((results == 0).mean())},
        scores=scores,
        bins=[one for name, a in answers.items() for one in _bins(name, a, results, places)],
        calibration=[c for name, a in answers.items() for c in _errors(name, a, results, places)],
        jumps=[j for name, a in answers.items() for j in _jumps(name, a, subjects.store, places)],
        agreement=_agreements(answers, places),
    )


class _Places:
    """Where positions are, for means over phases and intervals over games."""

    def __init__(self, rows: PositionTable, config: AuditConfig) -> None:
        self.rows = rows
        self.phase = rows.phase.astype(np.int64)
        self.game = np.unique(rows.game, return_inverse=True)[1]
        self.games = int(self.game.max(initial=-1)) + 1
        self.sets = [*enumerate(rows.names), (len(rows.names), ALL)]
        self.config = config

    def means(self, samples: Mapping[Any, Sample], kinds: int) -> Any:
        """Return means by kind; the same games are drawn every time."""
        return means_of(samples, kinds, self.games, self.rng(), self.config.resamples)

    def rng(self) -> np.random.Generator:
        """Return the generator of the draws."""
        return np.random.default_rng(stream(self.config.seed, "audit", "resampling"))

    def own(self, index: int) -> npt.NDArray[np.bool_]:
        """Return which positions one of the ``sets`` has."""
        every = index == len(self.rows.names)
        found: npt.NDArray[np.bool_] = (self.phase == index) | every
        return found

    def bin_of(self, expected: Array) -> Indices:
        """Return the bin of calibration of expected scores in [0, 1]."""
        bins = self.config.bins
        return np.clip((expected * bins).astype(np.int64), 0, bins - 1)


def _scores(
    answers: Mapping[str, Answers],
    legal: Array,
    results: Array,
    named: Sequence[tuple[str, str]],
    kind: Indices,
    places: _Places,
) -> list[Score]:
    """Score every network, and constants fitted to each kind of positions, by kind."""
    counts = np.bincount(kind, minlength=len(named))
    happened = happened_of(results)

    def fitted(values: Array) -> Array:
        means = np.bincount(kind, values, len(named)) / np.maximum(counts, 1)
        found: Array = means[kind]
        return found

    shares = np.stack([fitted(column) for column in happened.T], axis=1)
    constant = {
        "policy": np.log(legal),
        "accuracy": 1 / legal,
        "value": np.square(fitted(results) - results),
        "wdl": np.square(shares - happened).sum(axis=1),
    }
    columns = {CONSTANT: constant} | {name: one.metrics for name, one in answers.items()}
    samples = {
        (name, metric): Sample(values[None], places.game, kind)
        for name, metrics in columns.items()
        for metric, values in metrics.items()
    }
    means = places.means(samples, len(named))
    found = []
    for number, (phase, group) in enumerate(named):
        if not counts[number]:
            continue
        games = len(np.unique(places.game[kind == number]))
        for name, metrics in columns.items():
            gains = {
                metric: means.difference((name, metric), (CONSTANT, metric), number)
                for metric in metrics
                if name != CONSTANT
            }
            own = {m: means.mean((name, m), number) if m in metrics else None for m in METRICS}
            found.append(Score(name, phase, group, int(counts[number]), games, own, gains))
    return found


def _bins(name: str, answers: Answers, results: Array, places: _Places) -> Iterator[Bin]:
    expected, score = (1 + answers.value) / 2, (1 + results) / 2
    bins, number = places.config.bins, places.bin_of(expected)
    for index, phase in places.sets:
        own = places.own(index)
        sample = Sample(score[None, own], places.game[own], number[own])
        means = places.means({"score": sample}, bins)
        for bin in np.unique(number[own]).tolist():
            here = own & (number == bin)
            yield Bin(
                name,
                phase,
                bin / bins,
                (bin + 1) / bins,
                int(here.sum()),
                float(expected[here].mean()),
                means.mean("score", bin),
            )


def _errors(name: str, answers: Answers, results: Array, places: _Places) -> Iterator[Calibration]:
    """Yield expected calibration errors: the mean distance between what bins expect and get."""
    gap = (answers.value - results) / 2
    bins, number = places.config.bins, places.bin_of((1 + answers.value) / 2)
    for index, phase in places.sets:
        own = places.own(index)
        if not own.any():
            continue
        at = places.game[own] * bins + number[own]
        sums: Array = np.bincount(at, gap[own], places.games * bins).astype(np.float64)
        counts = np.bincount(places.game[own], minlength=places.games).astype(np.float64)
        by_game = sums.reshape(places.games, -1)[counts > 0]
        error = float(np.abs(by_game.sum(axis=0)).sum() / counts.sum())
        by_chance = None
        if len(by_game) >= MIN_PAIRS:
            # If bins get what they expect, the gaps of a game are as likely to have the other sign.
            signs = places.rng().choice([-1.0, 1.0], (places.config.resamples, len(by_game)))
            drawn = np.abs(signs @ by_game).sum(axis=1) / counts.sum()
            by_chance = float(np.percentile(drawn, 95))
        yield Calibration(name, phase, error, by_chance)


def _jumps(name: str, answers: Answers, store: GameStore, places: _Places) -> Iterator[Jump]:
    """Yield changes of the value by the phases before and after; see :class:`Jump`."""
    rows, names = places.rows, places.rows.names
    by_player = store.columns.width > 1 or store.game.num_players != 2
    chain = rows.game.astype(np.int64) * 128 + (rows.player if by_player else 0)
    order = np.lexsort((rows.ply, chain))
    side = 1.0 if by_player else 1.0 - 2.0 * rows.player[order]
    value = answers.value[order] * side
    follows = np.diff(chain[order]) == 0
    if not by_player:
        follows &= np.diff(rows.ply[order]) == 1
    size = np.abs(np.diff(value))[follows]
    if not len(size):
        return
    phase, game = places.phase[order], places.game[order][1:][follows]
    before, after = phase[:-1][follows], phase[1:][follows]
    kind = before * len(names) + after
    crossed = before != after
    means = places.means({"step": Sample(size[None], game, kind)}, len(names) ** 2)
    samples = {
        label: Sample(size[None, which], game[which], np.zeros(int(which.sum()), np.int64))
        for label, which in (("all boundaries", crossed), ("inside phases", ~crossed))
        if which.any()
    }
    together = places.means(samples, 1)
    for label, sample in samples.items():
        both = len(samples) == 2 and label == "all boundaries"
        against = together.difference(*samples, 0) if both else None
        yield Jump(name, label, len(sample.game), together.mean(label, 0), against)
    for number in np.unique(kind).tolist():
        one, other = names[number // len(names)], names[number % len(names)]
        label = f"inside {one}" if one == other else f"{one} → {other}"
        yield Jump(name, label, int((kind == number).sum()), means.mean("step", number))


def _agreements(answers: Mapping[str, Answers], places: _Places) -> list[Agreement]:
    found = []
    for first, second in combinations(answers, 2):
        one, other = answers[first], answers[second]
        same = (one.likeliest == other.likeliest).astype(np.float64)
        columns = {"same": same, "apart": np.abs(one.value - other.value)}
        samples = {n: Sample(c[None], places.game, places.phase) for n, c in columns.items()}
        means = places.means(samples, len(places.rows.names))
        for index, phase in places.sets:
            values = (means.mean(name, index) for name in columns)
            found.append(Agreement(first, second, phase, *values))
    return found


class _LeafCounter:
    """An evaluator that notes which leaves lie outside the phase of their root."""

    def __init__(self, evaluator: Any) -> None:
        self._evaluator = evaluator
        self.name = name_of(evaluator)
        self.plane_spec = getattr(evaluator, "plane_spec", None)
        self.outside = list[npt.NDArray[np.bool_]]()

    def evaluate_batch(self, leaves: Leaves) -> Evaluation:
        """Answer leaves as the evaluator does."""
        self.outside.append(np.asarray(leaves.phases != leaves.root_phases))
        return evaluate_leaves(self._evaluator, leaves, Counts(), self.name)


def leaf_shares(subjects: Subjects, config: AuditConfig, console: Console) -> list[LeafShare]:
    """Search positions of each phase, and count the leaves of other phases.

    A search of many leaves begins like one of few, so that one search answers for all numbers.
    Games whose players move at once are not searched, and mixtures of another gate neither.
    """
    if not config.searches or subjects.store.columns.width > 1:
        return []
    rows, _ = positions_of(subjects, config)
    rng = np.random.default_rng(stream(config.seed, "audit", "roots"))
    chosen: list[int] = []
    for phase in range(len(rows.names)):
        own = rng.permutation(np.flatnonzero(rows.phase == phase))
        first = np.unique(rows.game[own], return_index=True)[1]
        chosen += rng.permutation(own[first])[: config.searches].tolist()
    some = rows.select(np.sort(np.array(chosen)))
    roots = [
        state for _, states in batches_of(subjects.store, some, config.batch) for state in states
    ]
    found = list[LeafShare]()
    networks = {
        name: one
        for name, one in subjects.networks.items()
        if not isinstance(one, MixtureOfExperts) or one.search_gate == subjects.gate
    }
    with console.task("Searches", len(networks) * len(roots)) as task:
        for number, (name, evaluator) in enumerate(networks.items()):
            shares = []
            for place, root in enumerate(roots):
                shares.append(_shares(evaluator, root, subjects, config))
                task.update(number * len(roots) + place + 1)
            found += _leaf_means(name, np.array(shares), some, config)
    return found


def _shares(evaluator: Any, root: Any, subjects: Subjects, config: AuditConfig) -> list[float]:
    """Return the share of other phases among the first leaves, for each number of nodes."""
    if root.is_terminal:
        return [np.nan] * len(config.nodes)
    counter = _LeafCounter(evaluator)
    agent = MCTSAgent(
        counter,
        limit=Limit(nodes=config.nodes[-1]),
        seed=config.seed,
        game=subjects.store.game,
        gate=subjects.gate,
    )
    agent.search(root)
    outside = np.concatenate(counter.outside) if counter.outside else np.empty(0)
    return [float(outside[:nodes].mean()) if len(outside) else np.nan for nodes in config.nodes]


def _leaf_means(
    name: str, shares: Array, roots: PositionTable, config: AuditConfig
) -> Iterator[LeafShare]:
    places = _Places(roots, config)
    kept = np.isfinite(shares).all(axis=1)
    game, phase = places.game[kept], places.phase[kept]
    samples = {n: Sample(shares[None, kept, k], game, phase) for k, n in enumerate(config.nodes)}
    means = places.means(samples, len(roots.names))
    for index, label in places.sets:
        count = len(phase) if label == ALL else int((phase == index).sum())
        for nodes in config.nodes:
            yield LeafShare(name, label, nodes, count, means.mean(nodes, index))
