"""Loss matrix of a run: every network on the test positions of every phase."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.positions import PositionTable
from phasezoo.data.sampler import Sampler
from phasezoo.experiments.two_player.preparation import Prepared
from phasezoo.experiments.two_player.tested import (
    Array,
    Indices,
    TestedNetworks,
    TrainedNetworks,
    evaluate,
    placed,
)
from phasezoo.experiments.two_player.variants import (
    BASELINE,
    EXPERT,
    ONE,
    PLACEBO,
    Variant,
    mixture_name,
)
from phasezoo.frames import csv_text
from phasezoo.gating.learned import LEARNED, load as load_gate
from phasezoo.training.evaluation import PositionLosses
from phasezoo.training.losses import POLICY_SHARE, VALUE_SHARE
from phasezoo.training.resampling import Means, Sample, around, means_of

ALL = "all"
"""Name of the column of all test positions."""

CONSTANT = "constant"
"""The row of the value that no network is needed for: the mean result of the phase."""

METRICS = ("total", "policy", "value", "accuracy")
"""Measured on test positions; the first three are losses, where less is better."""


@dataclass(frozen=True)
class Cell:
    """Losses and policy accuracy of one player on one set of test positions; None without any."""

    positions: int
    total: float | None
    policy: float | None
    value: float | None
    accuracy: float | None


Differences: TypeAlias = dict[str, Interval | None]
"""Differences of the metrics with 95 % intervals; None without positions."""


@dataclass(frozen=True)
class Entry:
    """A row of the loss matrix, a mean over trainings."""

    name: str
    role: str
    """``expert``, ``mixture``, ``placebo``, ``arm`` (another mixture), ``baseline`` or
    ``constant``."""
    phase: str | None
    """The phase of an expert, otherwise None."""
    cells: dict[str, Cell]
    """By test set."""
    differences: dict[str, Differences]
    """To the baseline, by test set; empty for the baseline itself."""


@dataclass(frozen=True)
class Comparison:
    """One answer taken from the loss matrix."""

    name: str
    """``specialisation`` (phase - placebo), ``thinning`` (placebo - baseline) or ``both``."""
    differences: dict[str, Differences]
    """By test set."""
    deviation: float | None
    """Standard deviation between trainings of the total loss difference on all test positions;
    None with one training."""


@dataclass(frozen=True)
class Losses:
    """The loss matrix of experts, mixtures and the baseline."""

    columns: list[str]
    """Test sets: the phases, then :data:`ALL`."""
    games: int
    """Test games."""
    resamples: int
    """Draws of test games behind the intervals."""
    entries: list[Entry]
    comparisons: list[Comparison]
    everywhere: list[Entry] = field(default_factory=list)
    """The entries on all positions of the test games, those that occur in training games among
    them; empty if none does."""

    def to_csv(self) -> str:
        """Return one row per network and test set; cells are empty if there were no positions."""
        head = ["name", "role", "phase", "test_set", "positions", *METRICS]
        head += [f"{m}_minus_baseline{end}" for m in METRICS for end in ("", "_low", "_high")]
        rows = []
        for entry in self.entries:
            for column in self.columns:
                cell, differences = entry.cells[column], entry.differences.get(column, {})
                row = [entry.name, entry.role, entry.phase, column, cell.positions]
                row += [getattr(cell, metric) for metric in METRICS]
                for interval in map(differences.get, METRICS):
                    row += [getattr(interval, end, None) for end in ("value", "low", "high")]
                rows.append(row)
        return csv_text(head, rows)


def loss_matrix(
    phases: Sequence[str],
    game: npt.NDArray[Any],
    phase: Indices,
    trainings: Sequence[Mapping[str, Array]],
    rng: np.random.Generator,
    resamples: int,
) -> Losses:
    """Return the matrix of losses, its differences to the baseline and the three comparisons.

    Args:
        phases: Names of the phases.
        game: ``[P]``: game of each test position, any numbering.
        phase: ``int64[P]``: phase of each by the gate under study.
        trainings: The rows of each training, from :func:`rows_of`.
        rng: Draws the test games behind the intervals.
        resamples: Number of draws.
    """
    columns = [*phases, ALL]
    _, game = np.unique(game, return_inverse=True)
    games = int(game.max(initial=-1)) + 1
    rows = list(trainings[0])
    samples = {
        (name, metric): Sample(np.stack([own[name][place] for own in trainings]), game, phase)
        for name in rows
        for place, metric in enumerate(METRICS)
        if name != CONSTANT or metric == "value"
    }
    means = means_of(samples, len(phases), games, rng, resamples)
    counts = [*np.bincount(phase, minlength=len(phases)).tolist(), len(game)]

    def known(name: str, metric: str, k: int) -> float | None:
        return means.value((name, metric), k) if (name, metric) in samples else None

    def cells(name: str) -> dict[str, Cell]:
        return {
            column: Cell(counts[k], **{m: known(name, m, k) for m in METRICS})
            for k, column in enumerate(columns)
        }

    def difference(name: str, other: str, metric: str, k: int) -> Interval | None:
        # Two policies may be right in the same few positions, but do not lose the same.
        answered = "policy" if metric == "accuracy" else metric
        if means.is_same((name, answered), (other, answered), k):
            return around(0.0, 0.0)
        return means.difference((name, metric), (other, metric), k)

    def differences(name: str, other: str) -> dict[str, Differences]:
        both = [m for m in METRICS if {(name, m), (other, m)} <= samples.keys()]
        return {
            column: {m: difference(name, other, m, k) for m in both}
            for k, column in enumerate(columns)
        }

    named = dict(zip(rows, phases, strict=False))
    entries = [
        Entry(
            name,
            _role_of(name, named),
            named.get(name),
            cells(name),
            {} if name == ONE else differences(name, ONE),
        )
        for name in rows
    ]
    mixture, placebo = mixture_name(EXPERT), mixture_name(PLACEBO)
    pairs = {
        "thinning": (placebo, ONE),
        "specialisation": (mixture, placebo),
        "both": (mixture, ONE),
    }
    comparisons = [
        Comparison(name, differences(*pair), _deviation(means, *pair, len(phases)))
        for name, pair in pairs.items()
        if set(pair) <= set(rows)
    ]
    return Losses(columns, games, resamples, entries, comparisons)


def _role_of(name: str, experts: Mapping[str, str]) -> str:
    known = {
        ONE: BASELINE,
        CONSTANT: CONSTANT,
        mixture_name(EXPERT): "mixture",
        mixture_name(PLACEBO): PLACEBO,
    }
    return "expert" if name in experts else known.get(name, "arm")


def rows_of(
    phases: Sequence[str],
    phase: Indices,
    parts: Mapping[str, Indices],
    one: PositionLosses,
    experts: Sequence[PositionLosses],
    others: Mapping[str, Sequence[PositionLosses]],
    composed: Sequence[Variant] = (),
    constants: Array | None = None,
) -> dict[str, Array]:
    """Return the rows of the matrix of one training by name, ``float64[4, P]`` by :data:`METRICS`.

    Args:
        phases: Names of the phases.
        phase: ``int64[P]``: phase of each test position by the gate under study.
        parts: ``int64[P]``: phase by the gate of every other variant, by its role.
        one: Losses of the one network.
        experts: Losses of each phase's expert, on all P positions.
        others: Losses of every other variant's experts, each on the positions of its own phase.
        composed: The variants that are put together from the networks of others.
        constants: ``float64[n]``: the mean result of each phase, as a value; None: no such row.
    """
    measured = [_stacked(losses) for losses in experts]
    rows = {f"{name} expert": values for name, values in zip(phases, measured, strict=True)}
    own = [values[:, phase == k] for k, values in enumerate(measured)]
    rows[mixture_name(EXPERT)] = _placed(own, phase)
    for role, part in parts.items():
        rows[mixture_name(role)] = _placed([_stacked(losses) for losses in others[role]], part)
    answered = _stacked(one)
    for variant in composed:
        rows[mixture_name(variant.role)] = _composed(
            rows[mixture_name(variant.networks)], answered, variant, phases, phase
        )
    rows[ONE] = answered
    if constants is not None and one.result is not None:
        rows[CONSTANT] = np.full_like(answered, np.nan)
        rows[CONSTANT][METRICS.index("value")] = np.square(constants[phase] - one.result)
    return rows


def _composed(
    experts: Array, one: Array, variant: Variant, phases: Sequence[str], phase: Indices
) -> Array:
    """Losses of a mixture in which the one network gives a part, or answers in some phases."""
    own = variant.options.own or phases
    is_own = np.isin(phase, [phases.index(name) for name in own])
    found = np.where(is_own, experts, one)
    total, policy, value, accuracy = map(METRICS.index, ("total", "policy", "value", "accuracy"))
    if "policy" in variant.options.shared:
        found[[policy, accuracy]] = one[[policy, accuracy]]
    if "value" in variant.options.shared:
        found[value] = one[value]
    if variant.options.shared:
        both = POLICY_SHARE * found[policy] + VALUE_SHARE * found[value]
        found[total] = np.where(is_own, both, one[total])
    return found


def _stacked(losses: PositionLosses) -> Array:
    columns = losses.columns()
    return np.stack([columns[metric].astype(np.float64) for metric in METRICS])


def _placed(parts: Sequence[Array], which: Indices) -> Array:
    """Put together what each part's network answered on its own positions, in their order."""
    whole = np.empty((len(METRICS), len(which)))
    for part, answered in enumerate(parts):
        whole[:, which == part] = answered
    return whole


def _deviation(means: Means, name: str, other: str, kind: int) -> float | None:
    gaps = means.apart((name, "total"), (other, "total"), kind)
    return float(gaps.std(ddof=1)) if len(gaps) > 1 and np.isfinite(gaps).all() else None


def measure(tested: TestedNetworks) -> Losses:
    """Return the loss matrix over the test games of a run."""
    prepared, trainings, known = tested.prepared, tested.trainings, tested.known
    new, met = [], []
    total = len(trainings) * (len(tested.rows) + len(known))
    with tested.console.task("Test losses", total) as task:
        for networks in trainings:
            new.append(_answered(tested, networks, tested.rows, tested.of(networks)))
            if len(known) > 0:
                met.append(_answered(tested, networks, known, tested.asked(networks, known)))
            task.update(total * len(new) // len(trainings))

    def matrix(tables: Sequence[PositionTable], measured: Sequence[Mapping[str, Array]]) -> Losses:
        game, phase = (
            np.concatenate([getattr(table, column) for table in tables])
            for column in ("game", "phase")
        )
        rng, resamples = tested.rng("resampling"), prepared.config.resamples
        return loss_matrix(prepared.phases, game, phase.astype(np.int64), measured, rng, resamples)

    found = matrix([tested.rows], new)
    if len(known) == 0:
        return found
    both = [
        {name: np.concatenate([one[name], other[name]], axis=1) for name in one}
        for one, other in zip(new, met, strict=True)
    ]
    return replace(found, everywhere=matrix([tested.rows, known], both).entries)


def _answered(
    tested: TestedNetworks,
    networks: TrainedNetworks,
    rows: PositionTable,
    asked: tuple[PositionLosses, Sequence[PositionLosses]],
) -> dict[str, Array]:
    """The rows of one training on some positions; ``asked`` are its one network's and experts'."""
    prepared, test = tested.prepared, tested.prepared.splits.test
    composed = [variant for variant in prepared.variants if variant.networks]
    trained = [variant for variant in prepared.variants[1:] if not variant.networks]
    parts = {variant.role: _parts(prepared, variant, rows) for variant in trained}
    others = {
        role: [
            evaluate(prepared, [path], test, rows.select(part == index))[0]
            for index, path in enumerate(networks[role])
        ]
        for role, part in parts.items()
    }
    won, _, lost = tested.shares_of_results.T
    phase = rows.phase.astype(np.int64)
    return rows_of(prepared.phases, phase, parts, *asked, others, composed, won - lost)


def _parts(prepared: Prepared, variant: Variant, rows: PositionTable) -> Indices:
    """The phase of each position by a variant's gate."""
    phase = prepared.labelled[variant.gate]["test"].phase
    part: Indices = phase[prepared.splits.test.offsets[rows.game] + rows.ply].astype(np.int64)
    return part


@dataclass(frozen=True)
class GateCard:
    """The gate of one training."""

    name: str
    """Its directory under ``gates/``."""
    training: int
    positions: int
    """Validation positions that it learned from."""
    seconds: float


@dataclass(frozen=True)
class Division:
    """How learned gates divide the test positions, and losses of the same experts by them."""

    positions: int
    """Test positions that occur in no training or validation game."""
    shares: dict[str, list[float | None]]
    """Of the test positions of each phase, and of all of them, the share that goes to each expert,
    in the order of the phases; means over trainings, None without positions."""
    beside_one: dict[str, Interval | None]
    """Total test loss by learned gates less one network's, by test set."""
    beside_mixture: dict[str, Interval | None]
    """The same less that of the same experts by the gate under study."""


_ROWS = 512
"""Positions that a gate answers at once."""


def spec_of(directory: Path) -> str:
    """Return the specification of the learned gate in a directory."""
    return f"{LEARNED}{directory}"


def measure_division(tested: TestedNetworks, gates: Sequence[Path]) -> Division:
    """Route the test positions by learned gates, and compare what is lost.

    Positions that occur in validation games are left out: a gate may have learned from them.
    """
    prepared, trainings = tested.prepared, tested.trainings
    new = ~np.isin(tested.rows.key, prepared.tables["validation"].key)
    rows = tested.rows.select(new)
    phase = rows.phase.astype(np.int64)
    chosen, beside_one, beside_mixture = [], [], []
    with tested.console.task("Test losses by learned gates", len(trainings)) as task:
        for networks, gate in zip(trainings, gates, strict=True):
            baseline, others = tested.of(networks)
            one = baseline.total[new]
            experts = np.stack([losses.total[new] for losses in others])
            own = _chosen(prepared, gate, rows)
            lost = placed(experts, own)
            chosen.append(own)
            beside_one.append(lost - one)
            beside_mixture.append(lost - placed(experts, phase))
            task.update(len(chosen), f"{len(rows):,} test positions")
    _, game = np.unique(rows.game, return_inverse=True)
    samples = {
        name: Sample(np.stack(values), game, phase)
        for name, values in (("one", beside_one), ("mixture", beside_mixture))
    }
    rng = tested.rng("resampling learned gates")
    phases, games = len(prepared.phases), int(game.max(initial=-1)) + 1
    means = means_of(samples, phases, games, rng, prepared.config.resamples)
    columns = [*prepared.phases, ALL]
    return Division(
        shares=dict(zip(columns, _shares(chosen, phase, phases), strict=True)),
        positions=len(rows),
        beside_one={name: means.mean("one", k) for k, name in enumerate(columns)},
        beside_mixture={name: means.mean("mixture", k) for k, name in enumerate(columns)},
    )


def _chosen(prepared: Prepared, gate: Path, rows: PositionTable) -> Indices:
    """``int64[P]``: the expert that a gate chooses for each position."""
    if len(rows) == 0:
        return np.empty(0, dtype=np.int64)
    learned = load_gate(spec_of(gate), prepared.config.game)
    sampler = Sampler(
        prepared.splits.test, rows, learned.plane_spec, _ROWS, threads=prepared.config.threads
    )
    found = [learned.probabilities_of(batch.float_planes) for batch in sampler.in_order()]
    likeliest: Indices = np.concatenate(found).argmax(axis=1)
    return likeliest


def _shares(chosen: Sequence[Indices], phase: Indices, phases: int) -> list[list[float | None]]:
    """Of each phase's positions, and of all, the share of each expert."""
    sets = [*(phase == k for k in range(phases)), np.ones(len(phase), dtype=bool)]
    found: list[list[float | None]] = []
    for among in sets:
        if not among.any():
            found.append([None] * phases)
            continue
        counts = [np.bincount(own[among], minlength=phases) / among.sum() for own in chosen]
        found.append(np.mean(counts, axis=0).tolist())
    return found
