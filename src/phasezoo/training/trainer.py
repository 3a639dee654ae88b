"""The training loop: updates, validations, checkpoints, recovery from spikes."""

import contextlib
import logging
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from phasezoo._torch import default_threads, set_threads
from phasezoo.data.batches import Batch
from phasezoo.data.sampler import Prefetcher, Sampler
from phasezoo.errors import InvalidConfig
from phasezoo.networks import Network
from phasezoo.training.body_outputs import FOLDER, BodyOutputs
from phasezoo.training.callbacks import Callback, Progress
from phasezoo.training.checkpoint import Checkpoints, Counters
from phasezoo.training.config import WEIGHTS, SupervisedConfig
from phasezoo.training.distributed import ALONE, Team
from phasezoo.training.evaluation import PositionLosses
from phasezoo.training.losses import POLICY_SHARE, VALUE_SHARE
from phasezoo.training.metrics import MetricsLog
from phasezoo.training.schedules import OneCycle, batch_sizes
from phasezoo.training.steps import LossSums, Steps, number_of

_LOGGER = logging.getLogger(__name__)

LOG_ROWS = 100
"""Rows of training losses that a training leaves, besides one at each validation."""

VALIDATION_BATCH = {"cpu": 128}
"""Positions of a batch of validation by kind of device, 1024 on others. On a CPU 1024 take half as
long again: their logits are 19 MB, for which the system is asked for memory each time."""

_VALIDATED = ("policy", "value", "correct")
"""The losses that validation keeps of each position."""


@dataclass(frozen=True)
class Samplers:
    """Sampler of a training's positions."""

    train: Sampler
    """Of those to train on, with the configuration's batch size."""
    validation: Sampler
    """Of those that choose a checkpoint."""
    watched: Sampler | None = None
    """Of those of every phase that are measured beside; None: none are."""
    values: Sampler | None = None
    """Of those that values alone are learned from; None: there are none."""


class Trainer:
    """Trains one network on one sampler's positions.

    Args:
        network: The network, on the CPU; it is moved.
        config: The knobs.
        samplers: Its positions.
        positions: Training positions to see.
        checkpoints: Where checkpoints go.
        team: The processes that train it together.
        device: Where to train; None: as ``config`` says.
        teacher: A network whose values are learned too, on the CPU; it is moved.
        body_outputs: Folder of a frozen body's outputs that other trainings use too; None: there
            are none.

    Raises:
        InvalidConfig: The device or the number format cannot be used here.
    """

    def __init__(
        self,
        network: Network,
        config: SupervisedConfig,
        samplers: Samplers,
        positions: int,
        checkpoints: Checkpoints,
        team: Team = ALONE,
        device: torch.device | None = None,
        teacher: Network | None = None,
        body_outputs: Path | None = None,
    ) -> None:
        self.config = config
        self.team = team
        shape = checkpoints.manifest.input_shape
        sampler = samplers.train
        phases = len(sampler.rows.names)
        self._steps = Steps(network, config, shape, sampler.seed, team, device, phases, teacher)
        self.network, self.optimizer = self._steps.network, self._steps.optimizer
        self.sampler = sampler
        self.validation = samplers.validation
        self._validation_batch = VALIDATION_BATCH.get(self._steps.device.type, 1024)
        self._watched = samplers.watched
        self._values = samplers.values
        if self._values is not None and team.size > 1:
            message = f"value games: are learned from by one process, and these are {team.size}"
            raise InvalidConfig(message)
        self.checkpoints = checkpoints
        self.positions = positions
        self.updates, self._last_size = batch_sizes(positions, config.batch_size)
        self.schedule = OneCycle(
            self.updates, config.max_lr, config.min_lr, config.max_momentum, config.min_momentum
        )
        self.counters = Counters()
        self._outputs = self._body_outputs(body_outputs)
        self._started = time.perf_counter()

    def resume(self, checkpoint: Path) -> None:
        """Go back to where a checkpoint was saved."""
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
            callbacks: Called as it goes.
        """
        self.log, self.callbacks = log, Callback() if callbacks is None else callbacks
        device = self._steps.device
        devices = [device] if device.type == "cuda" else []
        with torch.random.fork_rng(devices):
            self._run()
        self.restore_best()

    def _run(self) -> None:
        counters = self.counters
        if counters.update == 0 and self.team.first(self.checkpoints.latest) is None:
            self._validate({})  # so that there is something to go back to from the start
        log_every = max(1, self.updates // LOG_ROWS)
        validate_every = self.config.evaluation_interval(self.updates)
        sums = self._steps.no_losses()
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
                    sums = self._steps.no_losses()
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
        return self._measure(self.validation)

    def _measure(self, sampler: Sampler) -> PositionLosses:
        """The losses of the network as it is on all positions of a sampler."""
        rows = sampler.rows
        starts = range(0, len(rows), self._validation_batch)
        own = range(self.team.rank, len(starts), self.team.size)
        self.network.eval()
        with torch.inference_mode():
            found = {index: self._measured(sampler, starts[index]) for index in own}
        self._steps.learn()
        known = {
            index: part for parts in self.team.gathered(found) for index, part in parts.items()
        }
        parts = [known[index] for index in range(len(starts))]
        policy, value, correct = (np.concatenate(column) for column in zip(*parts, strict=True))
        return PositionLosses(policy, value, correct > 0, rows.phase, rows.game)

    def _measured(self, sampler: Sampler, start: int) -> list[npt.NDArray[np.float32]]:
        """Results of validation for each position of a batch."""
        end = min(start + self._validation_batch, len(sampler.rows))
        batch = sampler.make(np.arange(start, end))
        with self._known(sampler, lambda: np.arange(start, end)):
            losses = self._steps.losses(batch)
        return [getattr(losses, name).cpu().numpy() for name in _VALIDATED]

    def _update(
        self, update: int, batch: Batch, sums: LossSums, *, measure: bool
    ) -> torch.Tensor | None:
        """One step of the optimiser; the norm of its gradient if it is to be measured."""
        size = self._size(update)
        lr, momentum = self.schedule.lr(update), self.schedule.momentum(update)
        with self._known(self.sampler, lambda: self._rows(update)):
            norm = self._steps.take(
                update, batch, sums, lr, momentum, size=size, measure=measure,
                others=0 if self._values is None else self._values.batch_size,
            )  # fmt: skip
        self.counters.update = update + 1
        self.counters.positions += size
        return norm

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
        by_phase = losses if self._watched is None else self._measure(self._watched)
        for phase, name in enumerate(self._phases()):
            part = by_phase.mean(phase)
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
        for outputs in self._outputs.values():
            outputs.save()
        self.team.first(lambda: self.checkpoints.save(self.network, self.optimizer, counters))
        self.callbacks.evaluation(row)

    def _criterion(self, losses: PositionLosses) -> float:
        """The validation loss that chooses among checkpoints: all counts as in training."""
        policy, value = self._shares
        total = policy * losses.policy.astype(np.float64) + value * losses.value
        weights = self.validation.weights
        if weights is None:
            return float(total.mean())
        each = weights[losses.phase].astype(np.float64)
        if not each.any():
            return math.nan
        if self.config.weighted_losses == "all":
            return float((each * total).sum() / each.sum())
        own = float((each * losses.policy).sum() / each.sum())
        return policy * own + value * losses.mean().value

    @cached_property
    def _shares(self) -> tuple[float, float]:
        """Shares of policy and value in what chooses: the reported total's, or those given."""
        policy, *values = (getattr(self.config, name) for name in WEIGHTS)
        usual_policy, *usual = (getattr(SupervisedConfig, name) for name in WEIGHTS)
        # The weight of a head that a network lacks is 0.
        known = all(one in (other, 0) for one, other in zip(values, usual, strict=True))
        whole = policy + sum(values)
        if (policy == usual_policy and known and any(values)) or whole == 0:
            return POLICY_SHARE, VALUE_SHARE
        return policy / whole, sum(values) / whole

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
        """This process's positions of an update; those that values alone learn from come last."""
        places, whole = self.team.places(self._size(update)), self.config.batch_size
        here, rest = places[places < whole], places[places >= whole] - whole
        parts = [
            self.sampler.batch(update + ahead, None if len(part) == whole else part)
            for ahead, part in enumerate((here, rest))
            if len(part)
        ]
        if self._values is not None:
            parts.append(replace(self._values.batch(update), policy=None))
        return parts[0] if len(parts) == 1 else Batch.joined(parts)

    def _rows(self, update: int) -> npt.NDArray[np.int64]:
        """The rows of the training positions of an update, if there is one process."""
        size, whole = self._size(update), self.config.batch_size
        ahead = range(-(-size // whole))
        return np.concatenate([self.sampler.batch_rows(update + k) for k in ahead])[:size]

    def _body_outputs(self, shared: Path | None) -> dict[Sampler, BodyOutputs]:
        """Where the outputs of a frozen body are kept, if a position has one and meets it again."""
        config, sampler = self.config, self.sampler
        limit = config.body_cache_gb * 1e9
        body = self._steps.fixed_body()
        if body is None or limit == 0:
            return {}
        measured = [each for each in (self.validation, self._watched) if each is not None]
        found = {each: BodyOutputs.of(body, each, limit, None) for each in measured}
        is_fixed = sampler.history_dropout == 0 and not sampler.symmetries and self._values is None
        if is_fixed and (shared is not None or self.positions > len(sampler.rows)):
            own = self.checkpoints.directory.parent / FOLDER
            found[sampler] = BodyOutputs.of(body, sampler, limit, shared or own)
        return found

    def _known(
        self, sampler: Sampler, rows: Callable[[], npt.NDArray[np.int64]]
    ) -> contextlib.AbstractContextManager[None]:
        """The context of an answer to rows of a sampler: the body's outputs may be known."""
        outputs = self._outputs.get(sampler)
        return contextlib.nullcontext() if outputs is None else outputs.at(rows())

    def _phases(self) -> tuple[str, ...]:
        """The phases that are reported one by one, if there are several."""
        rows = (self.validation if self._watched is None else self._watched).rows
        return rows.names if len(np.unique(rows.phase)) > 1 else ()

    def _train_row(
        self, update: int, sums: LossSums, grad_norm: torch.Tensor | None
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
            "train/wdl_loss": number_of(means.wdl),
            "train/plies_mse": number_of(means.plies),
            "train/lr": self.schedule.lr(update),
            "train/momentum": self.schedule.momentum(update),
            "train/grad_norm": number_of(grad_norm),
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


@contextlib.contextmanager
def torch_threads(threads: int | None) -> Iterator[None]:
    """Give torch ``threads`` CPU threads (None: the default) for as long as the context lasts."""
    before = torch.get_num_threads()
    set_threads(default_threads() if threads is None else threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
