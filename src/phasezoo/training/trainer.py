"""The training loop: updates, validations, checkpoints, recovery from spikes."""

import contextlib
import logging
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.utils import clip_grad_norm_, get_total_norm

from phasezoo import _core
from phasezoo.games import PackedPlanes
from phasezoo.networks import (
    Network,
    Unpack,
    autocast,
    compiled,
    layout_of,
    resolve_device,
    supported_dtype,
    to_device,
)
from phasezoo.training.batches import Batch
from phasezoo.training.callbacks import Callback
from phasezoo.training.checkpoint import Checkpoints, Counters
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.data import stream_seed
from phasezoo.training.distributed import ALONE, Team, synchronised
from phasezoo.training.evaluation import PositionLosses
from phasezoo.training.losses import RowLosses, Targets, row_losses, training_loss
from phasezoo.training.metrics import MetricsLog
from phasezoo.training.prefetch import Prefetcher
from phasezoo.training.progress import Progress
from phasezoo.training.sampler import Sampler
from phasezoo.training.schedules import OneCycle, batch_sizes
from phasezoo.types import Planes

__all__ = ["Trainer", "torch_threads"]

_LOGGER = logging.getLogger(__name__)

LOG_ROWS = 100
"""Rows of training losses that a training leaves, besides one at each validation."""

VALIDATION_BATCH = 1024

_LAYERS = 6
"""Name of the random stream of layers that draw."""

_VALIDATED = ("policy", "value", "correct")
"""The losses that validation keeps of each position."""


@dataclass
class _Sums:
    """Losses of the training positions since the last row of the log, kept on the device."""

    values: torch.Tensor
    positions: int = 0

    @classmethod
    def zero(cls, device: torch.device) -> "_Sums":
        # Apple's GPUs have no float64.
        dtype = torch.float32 if device.type == "mps" else torch.float64
        return cls(torch.zeros(len(RowLosses._fields), dtype=dtype, device=device))

    def add(self, losses: RowLosses) -> None:
        nothing = self.values.new_full((), math.nan)  # of a head that there is not
        sums = [nothing if column is None else column.detach().sum() for column in losses]
        self.values += torch.stack(sums)
        self.positions += len(losses.policy)

    def means(self, team: Team) -> RowLosses:
        """Means over the positions of all processes."""
        positions = self.values.new_tensor(float(self.positions))
        team.add_up(self.values, positions)
        return RowLosses(*(self.values / positions).cpu())


class Trainer:
    """Trains one network on one sampler's positions.

    Args:
        network: The network, on the CPU; it is moved.
        config: The knobs.
        sampler: Training positions, with the configuration's batch size.
        validation: Validation positions.
        positions: Training positions to see.
        checkpoints: Where checkpoints go.
        team: The processes that train it together.
        device: Where to train; None: as ``config`` says.

    Raises:
        InvalidConfig: The device or the number format cannot be used here.
    """

    def __init__(
        self,
        network: Network,
        config: SupervisedConfig,
        sampler: Sampler,
        validation: Sampler,
        positions: int,
        checkpoints: Checkpoints,
        team: Team = ALONE,
        device: torch.device | None = None,
    ) -> None:
        self.config = config
        self.team = team
        self.device = resolve_device(config.device) if device is None else device
        supported_dtype(config.dtype, self.device)
        if team.size > 1:
            network = synchronised(network)
        self.network: Network = network.to(self.device)
        self._layout = layout_of(network)
        self._unpack: Unpack | None = None
        if config.compile:
            shape = checkpoints.manifest.input_shape
            compiled(self.network, shape, training=True, dtype=config.dtype)
        self._parameters = list(self.network.parameters())
        self._layers_seed = stream_seed(sampler.seed, _LAYERS)
        self.optimizer = _optimizer(self.network, config)
        self.sampler = sampler
        self.validation = validation
        self.checkpoints = checkpoints
        self.positions = positions
        self.updates, self._last_size = batch_sizes(positions, config.batch_size)
        self.schedule = OneCycle(
            self.updates, config.max_lr, config.min_lr, config.max_momentum, config.min_momentum
        )
        self.counters = Counters()
        self._started = time.perf_counter()

    def resume(self, checkpoint: Path) -> None:
        """Go back to where a checkpoint was saved.

        Raises:
            CheckpointError: A file is missing, truncated or changed.
        """
        self.counters = self.checkpoints.restore(checkpoint, self.network, self.optimizer)
        self._started = time.perf_counter()

    def columns(self) -> list[str]:
        """The columns of the metrics."""
        losses = ("loss", "policy_loss", "value_mse", "policy_accuracy")
        train = [*losses, "wdl_loss", "plies_mse", "lr", "momentum", "grad_norm"]
        return [
            "update",
            "positions",
            "seconds",
            "time/positions_per_second",
            "time/waiting",
            *(f"train/{name}" for name in train),
            *(f"validation/{name}" for name in losses),
            *(f"phase/{name}/{what}" for name in self._phases() for what in ("loss", "accuracy")),
        ]

    def run(self, log: MetricsLog | None, callbacks: Callback | None = None) -> None:
        """Train to the end, or until there were too many spikes.

        Args:
            log: Where numbers go; None in all processes but the first.
            callbacks: Who is told.

        Raises:
            CheckpointError: A checkpoint or the metrics cannot be written.
        """
        self.log, self.callbacks = log, Callback() if callbacks is None else callbacks
        devices = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices):
            self._run()
        self.restore_best()

    def _run(self) -> None:
        counters = self.counters
        if counters.update == 0 and self.team.first(self.checkpoints.latest) is None:
            self._validate({})  # so that there is something to go back to from the start
        log_every = max(1, self.updates // LOG_ROWS)
        validate_every = self.config.evaluation_interval(self.updates)
        sums = _Sums.zero(self.device)
        train_loss: float | None = None
        todo = range(counters.update, 0 if counters.stopped else self.updates)
        with Prefetcher(self._batch, todo) as batches:
            for update in todo:
                done = update + 1
                validates = done == self.updates or done % validate_every == 0
                logs = validates or done % log_every == 0
                grad_norm = self._update(update, batches.next(), sums, measure=logs)
                if logs:
                    row = self._train_row(update, sums, grad_norm)
                    row["time/waiting"] = batches.waiting_share()
                    train_loss = row["train/loss"]
                    sums = _Sums.zero(self.device)
                    if validates:
                        self._validate(row)
                    elif self.log is not None:
                        self.log.add(row)
                self.callbacks.update(self._progress(train_loss))
                if counters.stopped:
                    break

    def restore_best(self) -> None:
        """Put the weights of the best checkpoint into the network."""
        if self.counters.best_update != self.counters.update:
            best = self.checkpoints.path(self.counters.best_update)
            self.checkpoints.restore(best, self.network, self.optimizer)

    def validate(self) -> PositionLosses:
        """The losses of the network as it is on the validation positions."""
        rows = self.validation.rows
        starts = range(0, len(rows), VALIDATION_BATCH)
        own = range(self.team.rank, len(starts), self.team.size)
        self.network.eval()
        with torch.inference_mode():
            found = {index: self._validated(starts[index], len(rows)) for index in own}
        self.network.train()
        known = {
            index: part for parts in self.team.gathered(found) for index, part in parts.items()
        }
        parts = [known[index] for index in range(len(starts))]
        policy, value, correct = (np.concatenate(column) for column in zip(*parts, strict=True))
        return PositionLosses(policy, value, correct > 0, rows.phase, rows.game)

    def _validated(self, start: int, end: int) -> list[npt.NDArray[np.float32]]:
        """What validation keeps of each position of a batch."""
        batch = self.validation.make(np.arange(start, min(start + VALIDATION_BATCH, end)))
        losses = self._losses(batch, Targets.of(batch, self.device))
        return [getattr(losses, name).cpu().numpy() for name in _VALIDATED]

    def _update(
        self, update: int, batch: Batch, sums: _Sums, *, measure: bool
    ) -> torch.Tensor | None:
        """One step of the optimiser.

        Returns:
            The norm of its gradient, on the device, if it is to be measured.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = self.schedule.lr(update)
            if "momentum" in group:
                group["momentum"] = self.schedule.momentum(update)
        # Layers that draw at random draw the same in a resumed training.
        torch.manual_seed(self._layers_seed + update * self.team.size + self.team.rank)
        targets = Targets.of(batch, self.device)
        losses = self._losses(batch, targets)
        self.optimizer.zero_grad(set_to_none=True)
        size = self._size(update)
        loss = training_loss(losses, self.config, targets.weight)
        if self.team.size > 1:  # a mean over the rows of all processes
            loss = loss * (len(batch) / size)
        loss.backward()  # type: ignore[no-untyped-call]
        self.team.add_up_gradients(self.network)
        norm = None
        if self.config.gradient_clip is not None:
            norm = clip_grad_norm_(self._parameters, self.config.gradient_clip)
        elif measure:
            norm = get_total_norm([p.grad for p in self._parameters if p.grad is not None])
        self.optimizer.step()
        sums.add(losses)
        self.counters.update = update + 1
        self.counters.positions += size
        return norm

    def _losses(self, batch: Batch, targets: Targets) -> RowLosses:
        on_device = self._on_device(batch.planes)
        with autocast(self.config.dtype, self.device):
            output = self.network(on_device)
        return row_losses(output, targets)

    def _on_device(self, planes: Planes | PackedPlanes) -> torch.Tensor:
        """Planes where the network is; packed ones are unpacked there."""
        if not isinstance(planes, PackedPlanes):
            return to_device(planes, self.device, layout=self._layout)
        if self._unpack is None:
            self._unpack = Unpack(planes.layout).to(self.device)
        arrays = (to_device(array, self.device) for array in planes.arrays)
        unpacked: torch.Tensor = self._unpack(*arrays)
        return unpacked.to(memory_format=self._layout)

    def _validate(self, row: dict[str, float | None]) -> None:
        """Measure on validation positions, go back after a spike, save a checkpoint."""
        losses = self.validate()
        counters = self.counters
        mean = losses.mean()
        loss = self._criterion(losses)
        columns = {
            "validation/loss": mean.total,
            "validation/policy_loss": mean.policy,
            "validation/value_mse": mean.value,
            "validation/policy_accuracy": mean.accuracy,
        }
        for phase, name in enumerate(self._phases()):
            part = losses.mean(phase)
            if part.positions:
                columns[f"phase/{name}/loss"] = part.total
                columns[f"phase/{name}/accuracy"] = part.accuracy
        row = {**self._place(), **row, **columns}
        if self.log is not None:
            self.log.add(row)
        spike = not math.isfinite(loss) or loss > self.config.spike_factor * counters.last_loss
        if spike and self.team.first(self.checkpoints.latest) is not None:
            self._recover(loss)
        else:
            counters.last_loss = loss
            if loss < counters.best_loss:
                counters.best_loss, counters.best_update = loss, counters.update
        counters.seconds += self._lap()
        self.team.first(lambda: self.checkpoints.save(self.network, self.optimizer, counters))
        self.callbacks.evaluation(row)

    def _criterion(self, losses: PositionLosses) -> float:
        """The validation loss that chooses among checkpoints: phases count as in training."""
        weights = self.validation.weights
        if weights is None:
            return losses.mean().total
        each = weights[losses.phase].astype(np.float64)
        return float((each * losses.total).sum() / each.sum()) if each.any() else math.nan

    def _recover(self, loss: float) -> None:
        """Go back to the best checkpoint; the schedule goes on.

        See ``docs/definitions/losses.md#spikes``.
        """
        counters = self.counters
        counters.spikes += 1
        counters.stopped = counters.spikes > self.config.spike_limit
        _LOGGER.warning(
            "update %d: validation loss %.4g after %.4g; going back to update %d%s",
            counters.update,
            loss,
            counters.last_loss,
            counters.best_update,
            " and ending the training, too many spikes" if counters.stopped else "",
        )
        best = self.checkpoints.path(counters.best_update)
        self.checkpoints.restore(best, self.network, self.optimizer)
        counters.last_loss = counters.best_loss

    def _size(self, update: int) -> int:
        """Positions of an update; the last one may be shorter or longer than the others."""
        return self._last_size if update == self.updates - 1 else self.config.batch_size

    def _batch(self, update: int) -> Batch:
        """This process's positions of an update."""
        places, whole = self.team.places(self._size(update)), self.config.batch_size
        here, rest = places[places < whole], places[places >= whole] - whole
        parts = [
            self.sampler.batch(update + ahead, None if len(part) == whole else part)
            for ahead, part in enumerate((here, rest))
            if len(part)
        ]
        return parts[0] if len(parts) == 1 else Batch.joined(parts)

    def _phases(self) -> tuple[str, ...]:
        """The phases that validation tells apart."""
        rows = self.validation.rows
        return rows.names if len(np.unique(rows.phase)) > 1 else ()

    def _train_row(
        self, update: int, sums: _Sums, grad_norm: torch.Tensor | None
    ) -> dict[str, float | None]:
        means = sums.means(self.team)
        place = self._place()
        seconds = max(place["seconds"] or 0.0, 1e-9)
        return {
            **place,
            "time/positions_per_second": self.counters.positions / seconds,
            "train/loss": means.reported().item(),
            "train/policy_loss": means.policy.item(),
            "train/value_mse": means.value.item(),
            "train/policy_accuracy": means.correct.item(),
            "train/wdl_loss": _number(means.wdl),
            "train/plies_mse": _number(means.plies),
            "train/lr": self.schedule.lr(update),
            "train/momentum": self.schedule.momentum(update),
            "train/grad_norm": _number(grad_norm),
        }

    def _place(self) -> dict[str, float | None]:
        seconds = self.counters.seconds + time.perf_counter() - self._started
        counters = self.counters
        return {
            "update": counters.update,
            "positions": counters.positions,
            "seconds": round(seconds, 3),
        }

    def _lap(self) -> float:
        """Seconds since the last lap."""
        now = time.perf_counter()
        lap, self._started = now - self._started, now
        return lap

    def _progress(self, train_loss: float | None) -> Progress:
        counters = self.counters
        last = counters.last_loss
        return Progress(
            counters.update,
            self.updates,
            counters.positions,
            self.positions,
            train_loss,
            last if math.isfinite(last) else None,
        )


def _optimizer(network: Network, config: SupervisedConfig) -> torch.optim.Optimizer:
    if config.optimizer == "adamw":
        return torch.optim.AdamW(
            network.parameters(), lr=config.min_lr, weight_decay=config.weight_decay, foreach=True
        )
    return torch.optim.SGD(
        network.parameters(),
        lr=config.min_lr,
        momentum=config.max_momentum,
        weight_decay=config.weight_decay,
        nesterov=True,
        foreach=True,
    )


def _number(mean: torch.Tensor | None) -> float | None:
    """A mean for the log, whose cell stays empty if the network has no such head."""
    number = math.nan if mean is None else mean.item()
    return None if math.isnan(number) else number


@contextlib.contextmanager
def torch_threads(threads: int | None) -> Iterator[None]:
    """Give torch ``threads`` CPU threads for as long as the context lasts.

    None gives it all that this process may use, as the core counts them: torch itself knows neither
    a container's quota nor ``PHASEZOO_THREADS``.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(_core.default_threads() if threads is None else threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
