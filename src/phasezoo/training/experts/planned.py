"""Training of the networks of a plan, and the record of what each of them got."""

import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from phasezoo import gating, inference, networks
from phasezoo.data.positions import PositionTable
from phasezoo.data.splits import Splits
from phasezoo.errors import CheckpointError
from phasezoo.inference.storage.manifest import Manifest
from phasezoo.inference.storage.weights import build_network
from phasezoo.networks import ConditionedNetwork, NetworkSpec
from phasezoo.networks.registry import Factory
from phasezoo.runs.files import describe_disk_errors
from phasezoo.runs.lock import LOCK
from phasezoo.runs.whole import appearing_folder
from phasezoo.training.body_outputs import FOLDER
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.data import LabelledSplits, TrainingData
from phasezoo.training.distributed import in_team
from phasezoo.training.experts.plans import PlannedTraining
from phasezoo.training.preparation import Task
from phasezoo.training.run_files import finished
from phasezoo.training.supervised import Hooks, TrainingResult, Trial, result_in, train_on

TRIALS = "trials"
"""Folder of the trainings with each learning rate, beside the networks that were chosen."""

Row = Mapping[str, float | None]
"""A row of a training's log."""


@dataclass(frozen=True)
class Recipe:
    """Games and options that the networks of a plan are trained with."""

    splits: Splits
    """Games to train on and to choose checkpoints by."""
    network: str | Factory | NetworkSpec
    """Every network is made from it."""
    settings: SupervisedConfig
    """The knobs of every training."""
    planes: str | None = None
    """Input planes; None: the game's default."""
    history: int | None = None
    """How many of the last moves they show; None: all that they have room for."""
    named: frozenset[str] = frozenset()
    """Knobs that were given by name."""
    weights: Path | None = None
    """The folder of a network whose weights every training without another start begins with."""
    freeze_baseline: bool = False
    """Whether networks of all phases that begin with these weights keep the frozen part too."""
    learning_rates: tuple[float, ...] = ()
    """Peak learning rates that every network is trained with, of which validation chooses; empty:
    that of :attr:`settings` alone."""
    tables: Mapping[str, PositionTable] | None = None
    """Positions of the games, labelled by the gate of the plan; None: each training labels them."""

    def settings_of(self, plan: PlannedTraining) -> SupervisedConfig:
        """Return the knobs of one training."""
        settings = self.settings
        if plan.weighs_policy_alone:
            settings = replace(settings, weighted_losses="policy")
        has_new_weights = plan.start is None and self.weights is None
        if has_new_weights or (plan.is_general and not self.freeze_baseline):
            settings = replace(settings, freeze=None)
        if plan.initial_seed is None:
            return settings
        return replace(settings, init_seed=plan.initial_seed)

    def task(
        self, plan: PlannedTraining, labelled: LabelledSplits, folder: Path
    ) -> tuple[TrainingData, Task]:
        """Return the positions of a training, and what is trained on them."""
        network: str | Factory | NetworkSpec = self.network
        if plan.phase_input is not None:
            phases = len(labelled.train.names)
            network = networks.conditioned(self.network, plan.phase_input, phases)
        data = TrainingData.select(
            labelled, plan.phase, plan.seed, self.settings_of(plan), plan.weights
        )
        task = Task(
            network,
            self.planes,
            self.history,
            plan.positions,
            plan.seed,
            folder / plan.name,
            self.weights if plan.start is None else folder / plan.start,
            named=self.named,
            teacher=None if plan.teacher is None else folder / plan.teacher,
            # Experts that learn from all phases meet the same positions, and so do trials.
            body_outputs=folder / FOLDER if plan.weights or self.learning_rates else None,
        )
        return data, task


def train_planned(
    plan: PlannedTraining,
    recipe: Recipe,
    folder: Path,
    labelled: LabelledSplits | None = None,
    hooks: Hooks | None = None,
) -> TrainingResult:
    """Train a network, or finish its training, or take it from the one that it is a part of.

    Args:
        plan: What to train.
        recipe: What on, and how.
        folder: The directory of all networks of the plan; each has one of its own in it.
        labelled: The games, labelled by the gate of the plan; None: they are labelled here.
        hooks: Callbacks and loggers.
    """
    splits, settings = recipe.splits, recipe.settings_of(plan)
    if plan.is_part:
        gate = labelled.gate if labelled else gating.make(plan.gate, splits.train.variant)
        return _part_of(folder / str(plan.start), folder / plan.name, gate, str(plan.phase))
    if labelled is None:
        labelled = LabelledSplits.of(
            splits.train, splits, plan.gate, plan.seed, settings.threads, tables=recipe.tables
        )
    if plan.by_game:
        labelled = labelled.divided_by_game()
    data, task = recipe.task(plan, labelled, folder)
    if not recipe.learning_rates:
        return train_on(data, task, settings, hooks)
    return _best_of(recipe.learning_rates, data, task, settings, hooks)


def _best_of(
    rates: Sequence[float],
    data: TrainingData,
    task: Task,
    settings: SupervisedConfig,
    hooks: Hooks | None,
) -> TrainingResult:
    """Train with every learning rate, and copy the network of the least validation loss."""
    found = {}
    for rate in rates:
        trial = replace(task, out=task.out.parent / TRIALS / f"{task.out.name}-{rate!r}")
        found[rate] = train_on(data, trial, replace(settings, max_lr=rate), hooks)
    best = min(rates, key=lambda rate: found[rate].best_loss)
    with in_team(networks.resolve_device(settings.device), settings.batch_size) as (team, _):
        team.first(lambda: _copied(found[best].path, task.out))
    trials = (Trial.of(rate, result) for rate, result in found.items())
    return replace(found[best], path=task.out, trials=tuple(trials))


def _copied(source: Path, out: Path) -> None:
    """Copy a training's folder, unless it is there."""
    if finished(out) is not None:
        return
    with describe_disk_errors(out, every=True), appearing_folder(out) as partial:
        shutil.copytree(source, partial, ignore=shutil.ignore_patterns(LOCK), dirs_exist_ok=True)


def _part_of(shared: Path, out: Path, gate: Any, phase: str) -> TrainingResult:
    """Write the expert of a phase that a network knows, unless it is there."""
    known = finished(out)
    if known is None:
        known = _saved_part(shared, out, gate, phase)
    return result_in(out, known)


def _saved_part(shared: Path, out: Path, gate: Any, phase: str) -> Manifest:
    source = Manifest.read(shared)
    network = build_network(source, source.read_bytes(shared), shared)
    if not isinstance(network, ConditionedNetwork):
        message = f"{shared}: {source.network_text} does not read phases, so it has no parts"
        raise CheckpointError(message)
    nothing = dict.fromkeys(("positions", "unique_positions", "updates", "best_update"), 0)
    training = {**source.training, **nothing, "epochs": 0.0, "seconds": 0.0, "part_of": shared.name}
    return inference.save(
        networks.fix_phase(network, gate.names.index(phase)),
        out,
        game=source.game,
        planes=source.planes,
        gate=gate,
        phase=phase,
        training=training,
        overwrite=True,
    )


@dataclass(frozen=True)
class LossCurve:
    """Losses while training, by training positions seen so far."""

    positions: list[int] = field(default_factory=list)
    train: list[float] = field(default_factory=list)
    validation_positions: list[int] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    phase_loss: dict[str, list[float | None]] = field(default_factory=dict)
    """Total loss on validation positions of each phase, at ``validation_positions``; empty if
    phases were not watched."""
    phase_accuracy: dict[str, list[float | None]] = field(default_factory=dict)
    """Share of them whose likeliest action is the one played."""

    @classmethod
    def of(cls, history: Sequence[Row]) -> "LossCurve":
        """Return the losses in the rows of a training's log."""
        train, validation = _column(history, "train/loss"), _column(history, "validation/loss")
        return cls(
            positions=list(train),
            train=list(train.values()),
            validation_positions=list(validation),
            validation=list(validation.values()),
            phase_loss=_by_phase(history, "loss", validation),
            phase_accuracy=_by_phase(history, "accuracy", validation),
        )


def _by_phase(
    history: Sequence[Row], metric: str, measured: Mapping[int, float]
) -> dict[str, list[float | None]]:
    begin, end = "phase/", f"/{metric}"
    columns = [name for row in history[:1] for name in row]
    found = {}
    for name in columns:
        if name.startswith(begin) and name.endswith(end):
            known = _column(history, name)
            phase = name.removeprefix(begin).removesuffix(end)
            found[phase] = [known.get(positions) for positions in measured]
    return found


def _column(history: Sequence[Row], name: str) -> dict[int, float]:
    # A training that was killed between a row and its checkpoint has written the row twice.
    found: dict[int, float] = {}
    for row in history:
        positions, loss = row.get("positions"), row.get(name)
        if positions is not None and loss is not None and math.isfinite(loss):
            found[int(positions)] = loss
    return found


@dataclass(frozen=True, kw_only=True)
class TrainedNetwork:
    """Record of a network of a plan."""

    name: str
    """Name of its folder."""
    role: str = ""
    """Role in a study, such as ``baseline``, ``expert`` or ``placebo``."""
    training: int = 0
    """Index of the study's training, from 0."""
    phase: str | None
    """The phase whose expert it is; None for a network of all phases."""
    gate: str = ""
    """The gate that names the phase."""
    start: str | None = None
    """The network whose weights it began with."""
    weights: tuple[float, ...] | None = None
    """Weights of positions of each phase; None: only those of its own phase were seen."""
    architecture: str = ""
    """Text that it is made from."""
    parameters: int
    """Numbers that training adjusts."""
    positions: int
    """Training positions seen."""
    unique_positions: int
    """Different positions among them."""
    epochs: float
    """How often its training positions were gone through."""
    updates: int
    """Steps of the optimiser."""
    best_update: int | None = None
    """The update whose weights were kept; 0: none was better than the first weights."""
    seconds: float
    """Wall time."""
    validation_loss: float | None = field(metadata={"once": "best_validation"})
    """Reported total on its validation positions; None if it is not finite."""
    trials: tuple[Trial, ...] = ()
    """Trainings with each learning rate, of which validation chose; empty: there was one rate."""
    curve: LossCurve = field(default_factory=LossCurve)
    """Losses while training; empty where they are not kept with it."""

    @classmethod
    def of(cls, plan: PlannedTraining, result: TrainingResult) -> "TrainedNetwork":
        """Return the record of a training that has ended."""
        loss = result.metrics.get("loss", math.nan)
        return cls(
            name=plan.name,
            role=plan.role,
            training=plan.training,
            phase=plan.phase,
            gate=result.gate,
            start=plan.start,
            weights=plan.weights,
            architecture=result.network,
            parameters=result.parameters,
            positions=result.positions,
            unique_positions=result.unique_positions,
            epochs=result.epochs,
            updates=result.updates,
            best_update=result.best_update,
            seconds=result.seconds,
            validation_loss=loss if math.isfinite(loss) else None,
            trials=result.trials,
        )
