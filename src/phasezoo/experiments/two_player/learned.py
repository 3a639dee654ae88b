"""Gates that learn to choose among the phase mixture's experts, and what is lost by them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from phasezoo import gating
from phasezoo.data.positions import PositionTable
from phasezoo.data.sampler import Sampler
from phasezoo.data.splits import Splits
from phasezoo.experiments.two_player.answers import Sample, means_of, placed
from phasezoo.experiments.two_player.losses import TestAnswers, TrainedNetworks
from phasezoo.experiments.two_player.measurements import ALL
from phasezoo.experiments.two_player.preparation import Prepared, load, parts_of
from phasezoo.experiments.two_player.results import Division, GateCard
from phasezoo.gating.learned import LEARNED
from phasezoo.gating.learned import load as load_gate
from phasezoo.report.console import Console


def train(
    prepared: Prepared, experts: Mapping[str, Path], training: int, directory: Path
) -> GateCard:
    """Train a gate to choose among frozen experts (:func:`phasezoo.gating.train`).

    Args:
        prepared: The run's games and settings.
        experts: Directory of each phase's expert.
        training: Index of the training, from 0.
        directory: Where the gate is kept.
    """
    config, splits = prepared.config, prepared.splits
    learn, choose = parts_of(splits, prepared.seed("games of gates"))
    found = gating.train(
        splits.validation,
        out=directory,
        experts={phase: load(config, path) for phase, path in experts.items()},
        planes=config.planes,
        positions=config.gate_positions,
        seed=prepared.seed("gate", training),
        splits=Splits(learn, choose, splits.test),
    )
    return GateCard(directory.name, training, found.positions, found.seconds)


def spec_of(directory: Path) -> str:
    """The specification of the gate in a directory."""
    return f"{LEARNED}{directory}"


_ROWS = 512
"""Positions that a gate answers at once."""

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


def measure(
    prepared: Prepared,
    trainings: Sequence[TrainedNetworks],
    gates: Sequence[Path],
    answers: TestAnswers,
    console: Console,
) -> Division:
    """Route the test positions by learned gates, and compare what is lost.

    Positions that occur in validation games are left out: a gate may have learned from them.
    """
    new = ~np.isin(answers.rows.key, prepared.tables["validation"].key)
    rows = answers.rows.select(new)
    phase = rows.phase.astype(np.int64)
    chosen, beside_one, beside_mixture = [], [], []
    with console.task("Test losses by learned gates", len(trainings)) as task:
        for networks, gate in zip(trainings, gates, strict=True):
            baseline, others = answers.of(networks)
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
    rng = np.random.default_rng(prepared.seed("resampling learned gates"))
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
