"""Measures every network of a run on the test positions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.errors import StoreError
from phasezoo.experiments.m2cts.duel.arms import BASELINE, EXPERT, Arm
from phasezoo.experiments.m2cts.duel.loading import load
from phasezoo.experiments.m2cts.duel.losses import TestPositions, TrainingLosses, loss_matrix
from phasezoo.experiments.m2cts.duel.preparation import Prepared
from phasezoo.experiments.m2cts.duel.results import Losses
from phasezoo.report.console import Console
from phasezoo.training.evaluation import PositionLosses, evaluate_networks
from phasezoo.training.positions import PositionTable, without_seen
from phasezoo.training.splits import PositionStore

__all__ = ["TestAnswers", "TrainedNetworks", "drawn", "evaluate", "measure"]


TrainedNetworks: TypeAlias = Mapping[str, Sequence[Path]]
"""Directories of the networks of one training by role: the ``baseline``, and of every arm one for
each phase of its gate, in the gate's order."""


class TestAnswers:
    """How one network and the phase experts of every training do on all test positions.

    Several tables of a run are made of them, and asking takes as long as training small networks:
    each training is asked once in a process.
    """

    __test__ = False  # not a test, whatever its name

    def __init__(self, prepared: Prepared) -> None:
        """Ask nothing yet.

        Args:
            prepared: The run's games and settings.

        Raises:
            StoreError: No test position is left in the games drawn for testing.
        """
        self.rows = drawn(prepared, "test")
        self._prepared = prepared
        self._known: dict[tuple[Path, ...], tuple[PositionLosses, list[PositionLosses]]] = {}

    def of(self, networks: TrainedNetworks) -> tuple[PositionLosses, list[PositionLosses]]:
        """The answers of one training: its one network's, and each phase's expert's.

        Args:
            networks: Directories of the networks by role.
        """
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
    """Return the loss matrix over the test games of a run.

    Args:
        prepared: The run's games and settings.
        trainings: Directories of the networks of each training by role.
        answers: What one network and the phase experts of each say.
        console: Where progress is shown.
    """
    rows = answers.rows
    parts = {arm.role: _parts(prepared, arm, rows) for arm in prepared.arms[1:]}
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
