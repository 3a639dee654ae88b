"""Trains a network on stored games or episodes."""

import contextlib
import logging
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from phasezoo import networks
from phasezoo.data.sampler import Sampler
from phasezoo.data.splits import PositionStore, Splits
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.games.options import flag, folder_path, function_or_none, list_of
from phasezoo.inference.storage.manifest import MANIFEST, Manifest
from phasezoo.networks.registry import Factory
from phasezoo.runs import jsonable
from phasezoo.specs import PositiveInt, check_value
from phasezoo.training.body_outputs import FOLDER
from phasezoo.training.callbacks import (
    Callback,
    Callbacks,
    OnProgress,
    TrainingStart,
    lines_of_progress,
)
from phasezoo.training.checkpoint import Checkpoints, save_network
from phasezoo.training.config import SupervisedConfig, make_config
from phasezoo.training.data import PhaseWeights, TrainingData
from phasezoo.training.distributed import Team, in_team
from phasezoo.training.fresh_network import Beginning
from phasezoo.training.loggers import LoggedRun, Logger
from phasezoo.training.metrics import MetricsLog, read_metrics
from phasezoo.training.preparation import Ready, Task
from phasezoo.training.run_files import check_same, claimed, finished
from phasezoo.training.steps import check_team
from phasezoo.training.trainer import Trainer, torch_threads

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trial:
    """A training with one of several learning rates, of which validation chooses."""

    learning_rate: float
    """Peak learning rate."""
    loss: float | None
    """Least validation loss, with phases weighed as in training; None: none was finite."""
    spikes: int
    """Times that it went back to its best checkpoint; one with a spike counts as diverged."""

    @classmethod
    def of(cls, rate: float, result: "TrainingResult") -> "Trial":
        """Return the record of a training that has ended."""
        loss = result.best_loss
        return cls(rate, loss if math.isfinite(loss) else None, result.spikes)


@dataclass(frozen=True)
class TrainingResult:
    """A training that has ended (``docs/definitions/losses.md`` names what is reported of each)."""

    path: Path
    """The directory that :func:`phasezoo.inference.load` reads."""
    network: str
    """Architecture."""
    gate: str
    """The gate that named the phase; ``none`` for a network of all phases."""
    phase: str | None
    """The phase whose expert this is."""
    parameters: int
    """Numbers that training adjusts; all of them are active for every row."""
    positions: int
    """Training positions seen."""
    unique_positions: int
    """Different positions among them."""
    epochs: float
    """How often the training positions were gone through."""
    updates: int
    """Steps of the optimiser."""
    seconds: float
    """Wall time, over all sessions of a resumed training."""
    metrics: Mapping[str, float]
    """Losses of the saved network on the validation positions."""
    best_update: int
    """The update after which the saved network was the best."""
    spikes: int
    """Times that the training went back to its best checkpoint."""
    stopped_early: bool
    """Whether it ended because of too many spikes."""
    history: tuple[Mapping[str, float | None], ...]
    """The rows of ``metrics.csv``."""
    best_loss: float = math.inf
    """Least validation loss, with phases weighed as in training; infinite if none was finite."""
    trials: tuple[Trial, ...] = ()
    """Trainings with each learning rate, of which this is the best; empty: there was one rate."""

    def describe(self) -> str:
        """Return a summary of the training in one line."""
        what = self.network if self.phase is None else f"{self.network} for {self.phase!r}"
        early = f", ended early after {self.spikes} spikes" if self.stopped_early else ""
        return (
            f"{what}: {self.parameters:,} parameters, {self.positions:,} positions "
            f"({self.unique_positions:,} unique, {self.epochs:.2f} epochs), {self.updates:,} "
            f"updates, {self.seconds:.1f} s, validation loss {self.metrics['loss']:.4f} "
            f"(update {self.best_update:,}){early}"
        )


def train_supervised(
    store: PositionStore,
    *,
    gate: Any = "none",
    phase: str | int | None = None,
    network: str | Factory = "rise-32x4",
    planes: str | None = None,
    history: int | None = None,
    positions: int,
    seed: int = 0,
    out: str | Path,
    config: SupervisedConfig | None = None,
    init: str | Path | None = None,
    resume: bool = True,
    progress: OnProgress | None = None,
    splits: Splits | None = None,
    phase_weights: PhaseWeights | None = None,
    value_games: PositionStore | None = None,
    callbacks: Sequence[Callback] = (),
    loggers: Sequence[Logger] = (),
    **overrides: Any,
) -> TrainingResult:
    """Train a network on the moves and results of stored games.

    Calling it again with the same arguments continues a training that was interrupted, to the
    same numbers (on a CPU, with as many threads as before), and returns the result of one that has
    ended. Several processes that ``torchrun`` started train one network together, each with a part
    of every batch; the first alone writes files, which all must be able to read.

    Args:
        store: The games, such as a :class:`phasezoo.training.GameStore`; they are split by game
            into train, validation and test with ``seed``.
        gate: Names the phases of the positions.
        phase: Train an expert: only on positions of this phase, by name or index. None: on all.
        network: A name, with options or without (see :data:`phasezoo.networks.GRAMMAR`), or a
            factory that can be found again: registered, or in a module that can be imported. It is
            tried before anything is written. Losses of parts that it does not answer are left out,
            unless their weight is given. Or a trained network that is trained further: its folder
            (``runs/x``, ``phasezoo/…``) or a file of lc0's (``maia-1900.pb.gz``), by AdamW with a
            peak learning rate of 1e-4 unless ``optimizer`` or ``max_lr`` say otherwise.
        planes: Input planes; None: the game's default, or those of the trained network.
        history: How many of the last moves they show; None: as ``planes`` says, else all that they
            have room for. Whatever searches with the network shows it as many.
        positions: Training positions to see; the positions of the split come again in another order
            when all were seen.
        seed: Decides the split, the initial weights and the order of the positions.
        out: A new or empty directory, or that of this very training.
        config: The knobs; None: the defaults.
        init: Directory of a network of the same architecture to start from; None: new weights.
        resume: Whether ``out`` may hold this training already.
        progress: Called after every update (see :func:`phasezoo.training.progress_bar`). None:
            standard error gets a line after ten seconds and one a minute.
        splits: The split to use in place of one by ``seed``; its test part is not looked at.
        phase_weights: What positions count by their phase, by its name or in the gate's order; all
            phases are then seen, and ``phase`` only says whose expert this is.
        value_games: Games whose results are learned from and whose moves are not, such as games
            with random moves (:func:`play_games`). Every batch has ``value_share`` times as many of
            their positions more, of ``phase`` too; ``positions`` does not count them.
        callbacks: Called at start, updates, evaluations and end; what one raises ends the
            training, which the same call continues.
        loggers: Who else takes the rows of ``metrics.csv``.
        **overrides: Fields of ``config`` to replace.

    Raises:
        CheckpointError: Files in ``out`` or ``init`` are truncated or changed, or the disk is full;
            what was saved before is kept.
        CorruptRecord: A game cannot be replayed.
        InvalidConfig: An option does not exist or is out of range.
        InvalidGate: The gate does not exist or does not fit the game.
        InvalidNetwork: The network fails, or answers a wrong shape or NaN.
        InvalidPlaneSpec: The game has no such planes, or they do not show so many moves.
        RunDirectoryError: ``out`` belongs to another training or cannot be written.
        StoreError: There are no positions of the phase to train or validate on.
    """
    positions = check_value("positions", PositiveInt, positions)
    seed = check_value("seed", int, seed)
    begun = Beginning.of(network, planes, init)
    settings = begun.settings(make_config(config, overrides), overrides)
    if settings.distill_weight is not None:
        message = (
            f"distill_weight={settings.distill_weight:g}: nobody teaches one network; leave it "
            "out, or use train_experts(value='distilled')"
        )
        raise InvalidConfig(message)
    task = Task(
        begun.network,
        begun.planes,
        history,
        positions,
        seed,
        folder_path("out", out),
        begun.weights,
        resume=flag("resume", resume),
        named=frozenset(overrides),
    )
    hooks = Hooks.of(callbacks, progress or lines_of_progress(), loggers)
    data = TrainingData.of(store, splits, gate, phase, seed, settings, phase_weights, value_games)
    return train_on(data, task, settings, hooks)


@dataclass(frozen=True)
class Hooks:
    """Receivers of a training's events and numbers."""

    callbacks: Callback = field(default_factory=Callback)
    """Called as it goes."""
    loggers: Sequence[Logger] = ()
    """Take its numbers."""

    @classmethod
    def of(
        cls,
        callbacks: Sequence[Callback],
        progress: OnProgress | None,
        loggers: Sequence[Logger],
    ) -> "Hooks":
        """Return those that a user gave, if they are what they should be."""
        for name, given, methods in (
            ("callbacks", callbacks, ("start", "update", "evaluation", "end")),
            ("loggers", loggers, ("start", "add", "close")),
        ):
            for each in list_of(name, given, "objects"):
                if not all(callable(getattr(each, method, None)) for method in methods):
                    message = f"{name}: {each!r} has not all of {', '.join(methods)}"
                    raise InvalidConfig(message)
        return cls(Callbacks(callbacks, function_or_none("progress", progress)), loggers)


def train_on(
    data: TrainingData, task: Task, settings: SupervisedConfig, hooks: Hooks | None = None
) -> TrainingResult:
    """Train a network on some positions, as :func:`train_supervised` does on a store's."""
    hooks = Hooks() if hooks is None else hooks
    ready = Ready.of(data, task, settings)
    with contextlib.ExitStack() as stack:
        place = networks.resolve_device(settings.device)
        team, device = stack.enter_context(in_team(place, settings.batch_size))
        check_team(ready.network, team)

        def claim() -> Manifest | None:
            files = claimed(
                task.out, ready.identity, ready.details, resume=task.resume, defaults=ready.defaults
            )
            stack.enter_context(files)
            known = finished(task.out)
            if known is not None:
                _check_own(task.out / MANIFEST, known, ready)
            return known

        ended = team.first(claim)
        if ended is not None:
            result = result_in(task.out, ended)
        else:
            with torch_threads(settings.threads):
                trained = _train(ready, task, hooks, team, device)
            result = result_in(task.out, trained)
            if team.is_first:
                hooks.callbacks.end(result)
    _LOGGER.info("%s", result.describe())
    return result


def _train(ready: Ready, task: Task, hooks: Hooks, team: Team, device: torch.device) -> Manifest:
    """Train from the last checkpoint in the directory, or from the start, to the end."""
    directory, manifest, settings = task.out, ready.manifest, ready.settings
    checkpoints = Checkpoints(directory / "checkpoints", manifest)
    trainer = Trainer(
        ready.network, settings, ready.samplers, task.positions, checkpoints, team, device,
        ready.teacher, task.body_outputs,
    )  # fmt: skip
    latest = team.first(checkpoints.latest)
    if latest is not None:
        _check_own(latest, Manifest.read(latest), ready)
        trainer.resume(latest)
    if team.is_first:
        _run_logged(trainer, ready, task, hooks, resumed=latest is not None)
    else:
        trainer.run(None)
    summary = _summary(trainer, ready.identity)
    saved = team.first(lambda: save_network(directory, trainer.network, manifest, summary))
    if team.is_first:
        checkpoints.remove()
        shutil.rmtree(directory / FOLDER, ignore_errors=True)
    return saved


def _check_own(path: Path, manifest: Manifest, ready: Ready) -> None:
    """Refuse a network or checkpoint of another training."""
    check_same(path, manifest.training.get("identity"), ready.identity, ready.defaults)


def _run_logged(trainer: Trainer, ready: Ready, task: Task, hooks: Hooks, *, resumed: bool) -> None:
    """Train, and tell everybody who wants to know."""
    identity, update = ready.identity, trainer.counters.update
    start = TrainingStart(task.out, trainer.network, identity, update, trainer.updates)
    hooks.callbacks.start(start)
    run = LoggedRun(task.out, identity)
    done = update if resumed else None
    with MetricsLog(run, trainer.columns(), done, [*ready.loggers, *hooks.loggers]) as log:
        trainer.run(log, hooks.callbacks)


def _summary(trainer: Trainer, identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the network's manifest entries about its training."""
    counters, rows = trainer.counters, trainer.sampler.rows
    mean = trainer.validate().mean()
    return {
        "identity": identity,
        "positions": counters.positions,
        "unique_positions": _unique(trainer.sampler, counters.positions),
        "epochs": counters.positions / len(rows),
        "updates": counters.update,
        "seconds": round(counters.seconds, 3),
        "best_update": counters.best_update,
        "best_loss": counters.best_loss if math.isfinite(counters.best_loss) else None,
        "spikes": counters.spikes,
        "stopped_early": counters.stopped,
        "metrics": {
            "loss": mean.total,
            "policy_loss": mean.policy,
            "value_mse": mean.value,
            "policy_accuracy": mean.accuracy,
        },
    }


def _unique(sampler: Sampler, positions: int) -> int:
    """Different positions among the first ``positions`` that a sampler shows."""
    if positions >= len(sampler.rows):
        return sampler.rows.num_unique()
    return sampler.rows.select(sampler.shown(positions)).num_unique()


def result_in(directory: Path, manifest: Manifest) -> TrainingResult:
    """Return the result of a training from its directory."""
    names = (
        "positions", "unique_positions", "epochs", "updates", "seconds", "metrics", "best_update",
        "spikes", "stopped_early",
    )  # fmt: skip
    said = {name: manifest.training[name] for name in names if name in manifest.training}
    best = manifest.training.get("best_loss")
    said |= {
        "path": str(directory),
        "network": manifest.network_text,
        "gate": manifest.gate,
        "phase": manifest.phase,
        "parameters": manifest.parameters.get("total"),
        "history": [],
        "best_loss": "inf" if best is None else best,
    }
    try:
        read = jsonable.decode(TrainingResult, said, "training")
        _ = read.describe()
    except (InvalidConfig, KeyError) as error:
        message = f"{directory / MANIFEST}: says nothing of a training, or was changed ({error})"
        raise CheckpointError(message) from error
    return replace(read, history=tuple(read_metrics(directory)))
