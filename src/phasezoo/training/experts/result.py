"""The result of training experts: the networks, their costs and their losses."""

import functools
import json
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

from phasezoo import inference
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.routing import Routing
from phasezoo.inference.storage.experts import ValueSource
from phasezoo.inference.storage.manifest import EXPERTS
from phasezoo.report import numbers
from phasezoo.report.document import Column, Table, literal
from phasezoo.runs import jsonable
from phasezoo.training.experts.planned import TrainedNetwork
from phasezoo.training.experts.tables import LossTable

LOSSES = "losses.json"
NETWORKS = "networks"
"""Folder of the networks, one in a folder of its own."""

T = TypeVar("T")


@dataclass(frozen=True)
class Experts(inference.Experts):
    """A baseline and an expert for each phase, with what their training cost and gave.

    :func:`phasezoo.training.train_experts` makes them; :meth:`open` opens them again.
    """

    own_gate: Any = None
    """The gate itself, if it is a user's own."""

    @classmethod
    def open(cls, path: str | Path, gate: Any = None) -> Self:
        """The experts in a folder.

        Args:
            path: The folder.
            gate: The gate itself, if it is one of a user's own that is not registered here.

        Raises:
            CheckpointError: There are none, or the file is cut off, changed or of a newer version.
        """
        return cls(**vars(inference.load_experts(path)), own_gate=gate)

    def mixture(
        self,
        routing: Routing = "exact",
        *,
        gate: Any = None,
        search_gate: Any = None,
        **options: Any,
    ) -> inference.MixtureOfExperts:
        """The experts as one evaluator: M2CTS is a tree search with it.

        The arguments are those of :meth:`phasezoo.inference.Experts.mixture`.
        """
        gate = self.own_gate if gate is None else gate
        return super().mixture(routing, gate=gate, search_gate=search_gate, **options)

    @cached_property
    def networks(self) -> tuple[TrainedNetwork, ...]:
        """Records of the networks, in the order of the trainings.

        Raises:
            CheckpointError: The manifest does not say.
        """
        return tuple(self._said("networks", list[TrainedNetwork]))

    @cached_property
    def losses(self) -> LossTable:
        """How every network does on the test positions of every phase.

        Raises:
            CheckpointError: The file is missing or changed.
        """
        path = self.directory / LOSSES
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            return jsonable.decode(LossTable, record, LOSSES)
        except (OSError, ValueError, InvalidConfig) as error:
            message = f"{path}: cannot be read back ({error})"
            raise CheckpointError(message) from error

    @property
    def budget(self) -> str:
        """Amount that the experts learned from: ``equal`` or ``study``."""
        return str(self.training.get("budget"))

    @property
    def work(self) -> dict[str, int]:
        """Training positions that the baseline saw, and the total of the mixture's experts.

        Raises:
            CheckpointError: The manifest does not say.
        """
        return self._said("work", dict[str, int])

    def _said(self, name: str, kind: type[T]) -> T:
        try:
            return jsonable.decode(kind, self.training[name], name)
        except (KeyError, InvalidConfig) as error:
            message = f"{self.directory / EXPERTS}: says nothing of its {name} ({error})"
            raise CheckpointError(message) from error

    def tables(self) -> list[Table]:
        """Return the records of the networks and the matrix of losses."""
        metrics = ("total", "accuracy", "top3", "top5", "best_three")
        return [_networks_view(self), *(self.losses.view(metric) for metric in metrics)]


def _networks_view(experts: Experts) -> Table:
    work = experts.work
    count = numbers.count
    columns = [
        Column("network", "name"),
        Column("learned from", _learned_from),
        Column("positions", "positions", count),
        Column("unique", "unique_positions", count),
        Column("epochs", "epochs", functools.partial(numbers.decimal, digits=2)),
        Column("updates", "updates", count),
        Column("best", "best_update", count),
        Column("seconds", "seconds", functools.partial(numbers.decimal, digits=1)),
        Column("validation", "validation_loss", numbers.decimal),
    ]
    if any(network.trials for network in experts.networks):
        columns += [Column("rate", _chosen_rate), Column("diverged", _diverged)]
    return Table(
        "networks",
        columns,
        experts.networks,
        f"{experts.strategy} experts of {experts.game}, gate {literal(experts.gate)}",
        note=f"Budget {experts.budget}: the baseline saw {count(work['baseline'])} positions, the "
        f"mixture's networks {count(work['mixture'])} together; values: {_VALUES[experts.value]}.",
    )


def _chosen_rate(network: TrainedNetwork) -> str | None:
    """The learning rate that validation chose."""
    if not network.trials:
        return None
    best = min(network.trials, key=lambda trial: math.inf if trial.loss is None else trial.loss)
    return f"{best.learning_rate:g}"


def _diverged(network: TrainedNetwork) -> str | None:
    """How many of all learning rates diverged."""
    trials = network.trials
    found = sum(trial.spikes > 0 or trial.loss is None for trial in trials)
    return f"{found} of {len(trials)}" if trials else None


_VALUES: dict[ValueSource, str] = {
    "own": "the experts'",
    "shared": "the baseline's",
    "distilled": "the experts', which learned the baseline's answers too",
    "all": "the experts', which learned them from all phases",
}


def _learned_from(network: TrainedNetwork) -> str:
    if network.weights is not None:
        return "all phases, weights " + " ".join(f"{weight:.3g}" for weight in network.weights)
    if network.positions == 0:
        return f"part of {network.start}"
    what = "all phases" if network.phase is None else network.phase
    return what if network.start is None else f"{what}, after {network.start}"
