"""Measures every network of a run on the test positions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.errors import StoreError
from phasezoo.experiments.console import Console
from phasezoo.experiments.m2cts.duel.arms import BASELINE, EXPERT, Arm
from phasezoo.experiments.m2cts.duel.loading import load
from phasezoo.experiments.m2cts.duel.losses import TestPositions, TrainingLosses, loss_matrix
from phasezoo.experiments.m2cts.duel.preparation import Prepared
from phasezoo.experiments.m2cts.duel.results import Losses
from phasezoo.training.evaluation import PositionLosses, evaluate_networks
from phasezoo.training.positions import PositionTable, without_seen
from phasezoo.training.splits import PositionStore

__all__ = ["TrainedNetworks", "drawn", "evaluate", "measure"]


TrainedNetworks: TypeAlias = Mapping[str, Sequence[Path]]
"""Directories of the networks of one training by role: the ``baseline``, and of every arm one for
each phase of its gate, in the gate's order."""


def measure(prepared: Prepared, trainings: Sequence[TrainedNetworks], console: Console) -> Losses:
    """Return the loss matrix over the test games of a run.

    Raises:
        StoreError: No test position is left in the games drawn for testing.
    """
    rows = drawn(prepared, "test")
    parts = {arm.role: _parts(prepared, arm, rows) for arm in prepared.arms[1:]}
    total = len(trainings) * len(rows) * (1 + len(prepared.phases) + len(parts))
    measured = []
    with console.task("Test losses", total) as task:
        done = 0
        for networks in trainings:
            one = _training(prepared, networks, rows, parts)
            measured.append(one)
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


def _parts(prepared: Prepared, arm: Arm, rows: PositionTable) -> npt.NDArray[np.int64]:
    """The phase of each position by an arm's gate."""
    phase = prepared.labelled[arm.gate]["test"].phase
    part: npt.NDArray[np.int64] = phase[prepared.splits.test.offsets[rows.game] + rows.ply].astype(
        np.int64
    )
    return part


def _training(
    prepared: Prepared,
    networks: TrainedNetworks,
    rows: PositionTable,
    parts: Mapping[str, npt.NDArray[np.int64]],
) -> TrainingLosses:
    test = prepared.splits.test
    everywhere = evaluate(prepared, [*networks[BASELINE], *networks[EXPERT]], test, rows)
    others = {
        role: [
            evaluate(prepared, [path], test, rows.select(part == index))[0]
            for index, path in enumerate(networks[role])
        ]
        for role, part in parts.items()
    }
    return TrainingLosses(experts=everywhere[1:], others=others, baseline=everywhere[0])


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
    """What is measured on no positions, as a small test set may leave a part of an arm."""
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
