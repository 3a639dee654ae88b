"""Loss matrix of a run: every network on the test positions of every phase."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.positions import PositionTable, without_seen
from phasezoo.data.splits import PositionStore
from phasezoo.errors import StoreError
from phasezoo.experiments.statistics import ResampledMeans, over_trainings, resample_games
from phasezoo.experiments.two_player.measurements import (
    ALL,
    METRICS,
    Cell,
    Comparison,
    Differences,
    Entry,
    Losses,
)
from phasezoo.experiments.two_player.preparation import Prepared, load
from phasezoo.experiments.two_player.variants import (
    BASELINE,
    EXPERT,
    ONE,
    PLACEBO,
    Variant,
    mixture_name,
)
from phasezoo.report.console import Console
from phasezoo.training.evaluation import PositionLosses, evaluate_networks
from phasezoo.training.resampling import sums_by_kind

Array: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TestPositions:
    """What test positions the losses are of."""

    __test__ = False  # not a test, whatever its name

    game: npt.NDArray[np.int64]
    """``int64[P]``: index of the game, any numbering."""
    phase: npt.NDArray[np.int64]
    """``int64[P]``: phase by the gate under study."""
    parts: Mapping[str, npt.NDArray[np.int64]]
    """``int64[P]``: phase by the gate of every other variant, by its role; the placebo's first."""


@dataclass(frozen=True)
class TrainingLosses:
    """What the networks of one training did on the test positions."""

    experts: Sequence[PositionLosses]
    """One per phase, each on all P positions."""
    others: Mapping[str, Sequence[PositionLosses]]
    """Of every other variant one per phase of its gate, each on the positions of its phase, in
    their order."""
    baseline: PositionLosses
    """The one network, on all P positions."""


def loss_matrix(
    phases: Sequence[str],
    positions: TestPositions,
    trainings: Sequence[TrainingLosses],
    rng: np.random.Generator,
    resamples: int,
) -> Losses:
    """Return the matrix of losses, its differences to the baseline and the three comparisons.

    Args:
        phases: Names of the phases.
        positions: The test positions.
        trainings: The networks' losses on them, one per training.
        rng: Draws the test games behind the intervals.
        resamples: Number of draws.
    """
    means = _means(len(phases), positions, trainings, rng, resamples)
    columns = [*phases, ALL]
    games = len(np.unique(positions.game))
    reached = [len(np.unique(positions.game[positions.phase == k])) for k in range(len(phases))]
    reached.append(games)
    counts = np.bincount(positions.phase, minlength=len(phases)).tolist()
    counts.append(sum(counts))
    entries = []
    rows: list[tuple[str, str, str | None]] = []
    rows += [(f"{name} expert", "expert", name) for name in phases]
    rows += [(mixture_name(EXPERT), "mixture", None)]
    rows += [(mixture_name(role), _role_of(role), None) for role in positions.parts]
    rows += [(ONE, "baseline", None)]
    mixture, placebo, baseline = len(phases), len(phases) + 1, len(rows) - 1
    for index, (name, role, phase) in enumerate(rows):
        cells = {c: _cell(means, index, k, counts[k]) for k, c in enumerate(columns)}
        against = _against(means, index, baseline, reached)
        same = role == "baseline"
        differences = {} if same else {c: against(k) for k, c in enumerate(columns)}
        entries.append(Entry(name, role, phase, cells, differences))
    pairs = {
        "thinning": (placebo, baseline),
        "specialisation": (mixture, placebo),
        "both": (mixture, baseline),
    }
    comparisons = [
        Comparison(
            name,
            {c: _against(means, first, second, reached)(k) for k, c in enumerate(columns)},
            _deviation(means, first, second),
        )
        for name, (first, second) in pairs.items()
    ]
    return Losses(columns, games, resamples, entries, comparisons)


def _role_of(role: str) -> str:
    return role if role == PLACEBO else "arm"


def _means(
    phases: int,
    positions: TestPositions,
    trainings: Sequence[TrainingLosses],
    rng: np.random.Generator,
    resamples: int,
) -> ResampledMeans:
    """Means [training, row, metric, test set] with their resampled counterparts."""
    _, game = np.unique(positions.game, return_inverse=True)
    games = int(game.max(initial=-1)) + 1

    def by_game(values: Array | None) -> Array:
        return sums_by_kind(values, game, positions.phase, games, phases)

    counts = by_game(None)
    sums = np.stack(
        [
            [[by_game(metric) for metric in row] for row in _rows(positions, training)]
            for training in trainings
        ]
    )
    # [training, row, metric, game, test set] -> game first, as resample_games wants it
    sums = np.moveaxis(sums, 3, 0)
    return resample_games(sums, counts[:, None, None, None, :], rng, resamples)


def _rows(positions: TestPositions, training: TrainingLosses) -> list[Array]:
    """``float64[4, P]`` for each row of the matrix."""
    experts = [_stacked(losses) for losses in training.experts]
    others = {role: [_stacked(one) for one in losses] for role, losses in training.others.items()}
    return [
        *experts,
        _placed([e[:, positions.phase == i] for i, e in enumerate(experts)], positions.phase),
        *(_placed(others[role], part) for role, part in positions.parts.items()),
        _stacked(training.baseline),
    ]


def _stacked(losses: PositionLosses) -> Array:
    """``float64[4, P]``, in the order of :data:`~.results.METRICS`."""
    rows = (losses.total, losses.policy, losses.value, losses.correct)
    return np.stack([row.astype(np.float64) for row in rows])


def _placed(parts: Sequence[Array], which: npt.NDArray[np.int64]) -> Array:
    """Put together what each part's network answered on its own positions, in their order."""
    whole = np.empty((len(METRICS), len(which)))
    for part, answered in enumerate(parts):
        whole[:, which == part] = answered
    return whole


def _cell(means: ResampledMeans, row: int, column: int, positions: int) -> Cell:
    values = means.means[:, row, :, column].mean(axis=0)
    found = {
        name: float(v) if np.isfinite(v) else None for name, v in zip(METRICS, values, strict=True)
    }
    return Cell(positions=positions, **found)


def _against(
    means: ResampledMeans, first: int, second: int, games: Sequence[int]
) -> Callable[[int], Differences]:
    """Differences of two rows by column, of each of which so many games have positions."""

    def differences(column: int) -> Differences:
        found: dict[str, Interval | None] = {}
        for metric, name in enumerate(METRICS):
            values = means.means[:, first, metric, column] - means.means[:, second, metric, column]
            drawn = (
                means.resampled[:, :, first, metric, column]
                - means.resampled[:, :, second, metric, column]
            )
            found[name] = over_trainings(values, drawn, games=games[column])
        return Differences(**found)

    return differences


def _deviation(means: ResampledMeans, first: int, second: int) -> float | None:
    values = means.means[:, first, 0, -1] - means.means[:, second, 0, -1]
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    return float(values.std(ddof=1))


TrainedNetworks: TypeAlias = Mapping[str, Sequence[Path]]
"""Directories of the networks of one training by role: the ``baseline``, and of every variant one
for each phase of its gate, in the gate's order."""


class TestAnswers:
    """How one network and the phase experts of every training do on all test positions.

    Several tables of a run are made of them, and asking takes as long as training small networks:
    each training is asked once in a process.
    """

    __test__ = False  # not a test, whatever its name

    def __init__(self, prepared: Prepared) -> None:
        """Ask nothing yet.

        Raises:
            StoreError: No test position is left in the games drawn for testing.
        """
        self.rows = drawn(prepared, "test")
        self._prepared = prepared
        self._known: dict[tuple[Path, ...], tuple[PositionLosses, list[PositionLosses]]] = {}

    def of(self, networks: TrainedNetworks) -> tuple[PositionLosses, list[PositionLosses]]:
        """The answers of one training: its one network's, and each phase's expert's."""
        asked = (*networks[BASELINE], *networks[EXPERT])
        if asked not in self._known:
            test = self._prepared.splits.test
            one, *experts = evaluate(self._prepared, asked, test, self.rows)
            self._known[asked] = one, experts
        return self._known[asked]


def measure(
    prepared: Prepared,
    trainings: Sequence[TrainedNetworks],
    answers: TestAnswers,
    console: Console,
) -> Losses:
    """Return the loss matrix over the test games of a run."""
    rows = answers.rows
    parts = {variant.role: _parts(prepared, variant, rows) for variant in prepared.variants[1:]}
    total = len(trainings) * len(rows) * (1 + len(prepared.phases) + len(parts))
    measured = []
    with console.task("Test losses", total) as task:
        done = 0
        for networks in trainings:
            measured.append(_training(prepared, networks, answers, parts))
            done += total // len(trainings)
            task.update(done, f"{len(rows):,} test positions")
    positions = TestPositions(
        game=rows.game.astype(np.int64), phase=rows.phase.astype(np.int64), parts=parts
    )
    rng = np.random.default_rng(prepared.seed("resampling"))
    return loss_matrix(prepared.phases, positions, measured, rng, prepared.config.resamples)


def drawn(prepared: Prepared, split: Literal["test", "validation"]) -> PositionTable:
    """The positions of games drawn from a split, as many as are tested, without those in train.

    Raises:
        StoreError: No test position is left.
    """
    everything = prepared.test
    if split == "validation":
        everything, _ = without_seen(prepared.tables[split], prepared.tables["train"])
    games, wanted = len(getattr(prepared.splits, split)), prepared.config.test_games
    if wanted is None or wanted >= games:
        return everything
    rng = np.random.default_rng(prepared.seed(f"{split} games"))
    chosen = rng.permutation(games)[:wanted]
    rows = everything.select(np.isin(everything.game, chosen))
    if len(rows) == 0 and split == "test":
        message = (
            f"--test-games {wanted}: none of their positions is new; ask for more, or use other "
            "games"
        )
        raise StoreError(message)
    return rows


def _parts(prepared: Prepared, variant: Variant, rows: PositionTable) -> npt.NDArray[np.int64]:
    """The phase of each position by a variant's gate."""
    phase = prepared.labelled[variant.gate]["test"].phase
    part: npt.NDArray[np.int64] = phase[prepared.splits.test.offsets[rows.game] + rows.ply].astype(
        np.int64
    )
    return part


def _training(
    prepared: Prepared,
    networks: TrainedNetworks,
    answers: TestAnswers,
    parts: Mapping[str, npt.NDArray[np.int64]],
) -> TrainingLosses:
    baseline, experts = answers.of(networks)
    test = prepared.splits.test
    others = {
        role: [
            evaluate(prepared, [path], test, answers.rows.select(part == index))[0]
            for index, path in enumerate(networks[role])
        ]
        for role, part in parts.items()
    }
    return TrainingLosses(experts=experts, others=others, baseline=baseline)


def evaluate(
    prepared: Prepared, paths: Sequence[Path], store: PositionStore, rows: PositionTable
) -> list[PositionLosses]:
    """How networks do on positions, with the backend of the run.

    Args:
        prepared: The run's settings.
        paths: Directories of the networks.
        store: The games.
        rows: Positions of that store; there may be none.
    """
    if len(rows) == 0:
        return [_nothing(rows) for _ in paths]
    config = prepared.config
    evaluators = {str(path): load(config, path) for path in paths}
    found = evaluate_networks(evaluators, store, rows, threads=config.threads)
    return [found[str(path)] for path in paths]


def _nothing(rows: PositionTable) -> PositionLosses:
    """What is measured on no positions, as a small test set may leave a part of a variant."""
    empty = np.empty(0, dtype=np.float32)
    return PositionLosses(
        empty,
        empty,
        empty.astype(bool),
        rows.phase,
        rows.game,
        answer=empty,
        result=empty,
        wdl=empty.reshape(0, 3),
    )
