"""Steps of an optimiser, the same in every training of a network."""

import math
from dataclasses import dataclass, replace
from inspect import unwrap
from typing import Any

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_, get_total_norm
from torch.optim.optimizer import Optimizer

from phasezoo.data.batches import Batch
from phasezoo.errors import InvalidConfig
from phasezoo.games import PackedPlanes
from phasezoo.networks import (
    ConditionedNetwork,
    Network,
    Unpack,
    autocast,
    compiled,
    layout_of,
    resolve_device,
    supported_dtype,
    to_device,
)
from phasezoo.networks.phase_input import PhaseHeads
from phasezoo.networks.phase_layers import PhaseBlocks, PhaseLayers
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.data import stream_seed
from phasezoo.training.distributed import ALONE, Team, synchronised
from phasezoo.training.losses import RowLosses, Targets, row_losses, training_loss
from phasezoo.training.schedules import batch_sizes
from phasezoo.types import Planes, PlaneShape

_LAYERS = 6
"""Name of the random stream of layers that draw."""


@dataclass
class LossSums:
    """Losses of training positions, added up on the device."""

    values: torch.Tensor
    """A sum for each of the losses."""
    positions: int = 0
    """How many there are."""

    @classmethod
    def zero(cls, device: torch.device) -> "LossSums":
        """Those of no positions."""
        # Apple's GPUs have no float64.
        dtype = torch.float32 if device.type == "mps" else torch.float64
        return cls(torch.zeros(len(RowLosses._fields), dtype=dtype, device=device))

    def add(self, losses: RowLosses) -> None:
        """Add those of some positions."""
        nothing = self.values.new_full((), math.nan)  # of a head that there is not
        sums = [nothing if column is None else column.detach().sum() for column in losses]
        self.values += torch.stack(sums)
        self.positions += len(losses.policy)

    def means(self, team: Team = ALONE) -> RowLosses:
        """Means over the positions of all processes."""
        positions = self.values.new_tensor(float(self.positions))
        team.add_up(self.values, positions)
        return RowLosses(*(self.values / positions).cpu())


class Steps:
    """A network, its optimiser, and how both take a step.

    Args:
        network: The network, on the CPU; it is moved.
        config: The knobs.
        shape: Channels, height and width of the planes.
        seed: Of layers that draw, together with a step's number.
        team: The processes that train it together.
        device: Where to train; None: as ``config`` says.
        phases: Number of phases of the batches, for a network that reads them.
        teacher: A network whose values are learned too, on the CPU; it is moved.

    Raises:
        InvalidConfig: The device or the number format cannot be used here, or the network
            reads another number of phases.
    """

    def __init__(
        self,
        network: Network,
        config: SupervisedConfig,
        shape: PlaneShape,
        seed: int,
        team: Team = ALONE,
        device: torch.device | None = None,
        phases: int = 1,
        teacher: Network | None = None,
    ) -> None:
        self.config = config
        self._reads_phase = isinstance(network, ConditionedNetwork)
        check_phases(network, phases)
        self.team = team
        self.device = resolve_device(config.device) if device is None else device
        supported_dtype(config.dtype, self.device)
        if team.size > 1:
            network = synchronised(network)
        self.network: Network = network.to(self.device)
        self._frozen = _parts(self.network).get(str(config.freeze), ())
        for part in self._frozen:
            part.requires_grad_(False)
        self.learn()
        self._teacher = None if teacher is None else teacher.to(self.device).eval()
        self._layout = layout_of(network)
        self._unpack: Unpack | None = None
        if config.compile:
            compiled(self.network, shape, training=True, dtype=config.dtype)
        self._parameters = [p for p in self.network.parameters() if p.requires_grad]
        self._layers_seed = stream_seed(seed, _LAYERS)
        self.optimizer = _optimizer(self._parameters, config)

    def learn(self) -> None:
        """Put the network into the state in which it learns, its frozen part as it answers."""
        self.network.train()
        for part in self._frozen:
            part.eval()
        if self.config.keep_statistics:
            for module in self.network.modules():
                if isinstance(module, nn.modules.batchnorm._BatchNorm):
                    module.eval()

    def fixed_body(self) -> nn.Module | None:
        """The body, if its output is the same for a position whenever it is asked.

        None if it learns, or if it costs less than reading what is known (on a GPU). A network of a
        user's own may ask its body twice for a position.
        """
        plain = self.config.dtype == "float32" and not self.config.compile and self.team.size == 1
        own = type(self.network).__module__.startswith("phasezoo.networks.")
        is_fixed = self.config.freeze == "body" and own and plain and self.device.type == "cpu"
        if isinstance(self.network, PhaseLayers):  # what its body answers changes with the changes
            return None
        return self._frozen[0] if is_fixed else None

    def no_losses(self) -> LossSums:
        """Sums to add to."""
        return LossSums.zero(self.device)

    def losses(self, batch: Batch) -> RowLosses:
        """The losses of a batch's positions."""
        on_device = self._on_device(batch.planes)
        return self._losses(on_device, batch, Targets.of(batch, self.device))

    def take(
        self,
        number: int,
        batch: Batch,
        sums: LossSums,
        lr: float,
        momentum: float,
        *,
        size: int | None = None,
        measure: bool = False,
        others: int = 0,
    ) -> torch.Tensor | None:
        """Take a step.

        Args:
            number: Which one of the training; layers that draw at random draw by it, so that a
                resumed training draws the same.
            batch: This process's positions.
            sums: Get the losses of the batch before the step.
            lr: The learning rate.
            momentum: The momentum, if the optimiser has one.
            size: Positions of all processes; default the batch's.
            measure: Whether the gradient's norm is wanted.
            others: Positions at the end of the batch that the policy does not learn from.

        Returns:
            The norm of the gradient, on the device, if it is to be measured.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = lr
            if "momentum" in group:
                group["momentum"] = momentum
        seed = self._layers_seed + number * self.team.size + self.team.rank
        # Seeding devices that are not there takes a tenth of a small network's step.
        seeded = torch.default_generator if self.device.type == "cpu" else torch
        seeded.manual_seed(seed)
        targets = Targets.of(batch, self.device)
        on_device = self._on_device(batch.planes)
        if self._teacher is not None:
            with torch.inference_mode(), autocast(self.config.dtype, self.device):
                targets = replace(targets, teacher=self._teacher(on_device))
        losses = self._losses(on_device, batch, targets)
        self.optimizer.zero_grad(set_to_none=True)
        own = len(batch) - others if others else None
        loss = training_loss(losses, self.config, targets.weight, own)
        if isinstance(self.network, ConditionedNetwork):
            extra = self.network.take_extra_loss()
            loss = loss if extra is None else loss + extra
        if self.team.size > 1:  # a mean over the rows of all processes
            loss = loss * (len(batch) / (len(batch) if size is None else size))
        loss.backward()  # type: ignore[no-untyped-call]
        if self._reads_phase:
            # A part for a phase without rows: fused optimisers take all of a step's, or none.
            for parameter in self._parameters:
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
        self.team.add_up_gradients(self.network)
        norm = None
        if self.config.gradient_clip is not None:
            norm = clip_grad_norm_(self._parameters, self.config.gradient_clip)
        elif measure:
            norm = get_total_norm([p.grad for p in self._parameters if p.grad is not None])
        self.optimizer.step()
        sums.add(losses if own is None else losses.first(own))
        return norm

    def _losses(self, on_device: torch.Tensor, batch: Batch, targets: Targets) -> RowLosses:
        with autocast(self.config.dtype, self.device):
            if self._reads_phase:
                phases = to_device(batch.phase, self.device, torch.int64)
                output = self.network(on_device, phases)
            else:
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


def _parts(network: Network) -> dict[str, tuple[nn.Module, ...]]:
    """Parts of a network that can be frozen: its ``body``, and all that lies beside it."""
    children = dict(network.named_children())
    if isinstance(network, PhaseLayers):
        children = {**dict(network.network.named_children()), "changes": network.changes}
    body = children.pop("body", None)
    return {} if body is None else {"body": (body,), "heads": tuple(children.values())}


def check_freeze(network: Network, freeze: str | None, *, is_trained: bool) -> None:
    """Refuse to freeze what has not learned, or a network that has no such part."""
    if freeze is None:
        return
    if not is_trained:
        message = (
            f"freeze={freeze!r}: the network begins with new weights, which have to learn; give a "
            "trained one as network= or init=, or leave it out"
        )
        raise InvalidConfig(message)
    if freeze not in _parts(network):
        message = (
            f"freeze={freeze!r}: is for networks with a module called body, as those of "
            f"networks.BodyAndHeads, and {type(network).__name__} has none; leave it out"
        )
        raise InvalidConfig(message)


def check_batches(network: Network, positions: int, batch_size: int, name: str) -> None:
    """Refuse updates on one position with a network that normalises over a batch's positions."""
    updates, last = batch_sizes(positions, batch_size)
    smallest = last if updates == 1 else min(last, batch_size)
    if smallest == 1 and any(isinstance(part, nn.BatchNorm1d) for part in network.modules()):
        message = (
            f"{positions} positions with batch_size={batch_size}: an update would show one "
            f"position, and {name} normalises over those of an update; give more positions, a "
            "larger batch_size or another network"
        )
        raise InvalidConfig(message)


def check_phases(network: Network, phases: int) -> None:
    """Refuse a network that reads another number of phases than the batches have."""
    if not isinstance(network, ConditionedNetwork):
        return
    if network.phases != phases:
        there = "all positions are of one phase" if phases == 1 else f"there are {phases} phases"
        message = (
            f"the network reads {network.phases} phases, and {there} here; give it a gate of as "
            "many phases in training on stored games, or leave the option out"
        )
        raise InvalidConfig(message)


def check_team(network: Network, team: Team) -> None:
    """Refuse to train a network in several processes that can only learn in one."""
    if isinstance(network, PhaseHeads | PhaseBlocks) and team.size > 1:
        # A process whose positions lack a phase would leave the others waiting for its statistics.
        message = (
            f"a network with heads or blocks by phase in {team.size} processes: it trains in one"
        )
        raise InvalidConfig(message)


def _optimizer(parameters: list[nn.Parameter], config: SupervisedConfig) -> torch.optim.Optimizer:
    # In one call for each parameter on a CPU, for all of them together elsewhere.
    fused = parameters[0].device.type == "cpu"
    how: dict[str, Any] = {"fused": fused, "foreach": not fused}
    if config.optimizer == "adamw":
        return AdamW(parameters, lr=config.min_lr, weight_decay=config.weight_decay, **how)
    return SGD(
        parameters,
        lr=config.min_lr,
        momentum=config.max_momentum,
        weight_decay=config.weight_decay,
        nesterov=True,
        **how,
    )


def number_of(mean: torch.Tensor | None) -> float | None:
    """A mean for the log, whose cell stays empty if the network has no such head."""
    number = math.nan if mean is None else mean.item()
    return None if math.isnan(number) else number


class _Uncompiled:
    """Methods of torch's optimisers without what torch imports for them.

    torch keeps its compiler away from these methods, and to do so imports the compiler when one is
    first called, which takes longer than all other imports of a training. Nothing is compiled here.
    """

    add_param_group = unwrap(Optimizer.add_param_group)
    load_state_dict = unwrap(Optimizer.load_state_dict)
    state_dict = unwrap(Optimizer.state_dict)
    zero_grad = unwrap(Optimizer.zero_grad)


class SGD(_Uncompiled, torch.optim.SGD):
    """Stochastic gradient descent (see ``torch.optim.SGD``)."""

    step = torch.no_grad()(unwrap(torch.optim.SGD.step))


class AdamW(_Uncompiled, torch.optim.AdamW):
    """Adam with decoupled weight decay (see ``torch.optim.AdamW``)."""

    step = torch.no_grad()(unwrap(torch.optim.AdamW.step))
