"""Networks whose layers depend on the phase: features, weights or the last block."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules.batchnorm import _BatchNorm

from phasezoo.checking import type_name
from phasezoo.errors import InvalidConfig
from phasezoo.networks.conditioned import BatchPhases, ChangedLayer, ConditionedNetwork, RowsByPhase
from phasezoo.networks.network import BodyAndHeads, TowerNetwork
from phasezoo.networks.output import NetworkOutput

RANK = 4
"""Rank of the adapters' changes; higher ones gained next to nothing (Hu et al. 2022, Table 6)."""

BALANCE = 0.01
"""Weight of a router's balance in the training loss (Fedus et al. 2022, Eq. 4)."""


class PhaseLayers(ConditionedNetwork, ABC):
    """A network in whose body layers change with the phase.

    The changes are no part of the body, so that they learn where the body is frozen. All begin
    as none, so every phase begins with the weights of the network that was given.

    Args:
        network: Has a module called body, as a :class:`BodyAndHeads` has.
        phases: How many phases there are: n.

    Raises:
        InvalidConfig: There is no body, or it has no layer that could change.
    """

    _kind: ClassVar[str]
    """Layers that change, for errors."""
    _changed: ClassVar[type[ChangedLayer]]
    """Layer in the place of one that changes."""

    def __init__(self, network: nn.Module, phases: int) -> None:
        super().__init__(phases)
        self.network = network
        self._batch = BatchPhases()
        self.changes = nn.ModuleList()
        for name, layer in list(network.named_modules()):
            if name.partition(".")[0] != "body":
                continue
            if isinstance(layer, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                message = (
                    f"{type_name(network)}: {type(layer).__name__} reads the weights of its layers "
                    "itself, so they cannot change with the phase; use phase_planes"
                )
                raise InvalidConfig(message)
            change = self._change_of(layer)
            if change is not None:
                self.changes.append(change)
                _replace(network, name, self._changed(layer, change, self._batch))
        if not self.changes:
            message = (
                f"{type_name(network)}: has no {self._kind} in a module called body; use "
                "phase_planes"
            )
            raise InvalidConfig(message)

    @abstractmethod
    def _change_of(self, layer: Any) -> nn.Module | None:
        """Return the parameters by phase of a layer of the body; None if it stays as it is."""

    def forward(self, planes: Tensor, phases: Tensor | None = None) -> NetworkOutput:
        """Answer ``float32[B, C, H, W]`` of phases ``int64[B]``; None: of their mean change."""
        batch = self._batch
        batch.phases = phases
        batch.rows = None if phases is None else RowsByPhase.of(phases, self.phases)
        answer: NetworkOutput = self.network(planes)
        batch.phases = batch.rows = None
        return answer

    def fix_phase(self, phase: int) -> nn.Module:
        """Return a network without changes: the phase's are in its weights."""
        self._check(phase)
        settled = copy.deepcopy(self).network
        for name, layer in list(settled.named_modules()):
            if isinstance(layer, ChangedLayer):
                _replace(settled, name, layer.fixed(phase))
        return settled

    def widened(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return weights of the network without phases as weights of this one."""
        if any(name.startswith("changes.") for name in tensors):
            return dict(tensors)
        own, inside = self.state_dict(), self.network.named_modules()
        changed = {name for name, layer in inside if isinstance(layer, ChangedLayer)}
        found = {name: own[name] for name in own if name.startswith("changes.")}
        for name, tensor in tensors.items():
            layer, _, rest = name.rpartition(".")
            named = f"{layer}.layer.{rest}" if layer in changed else name
            found[f"network.{named}"] = tensor
        return found


class _ScaleAndShift(nn.Module):
    def __init__(self, channels: int, phases: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(phases, channels))
        self.shift = nn.Parameter(torch.zeros(phases, channels))


class _FilmedNorm(ChangedLayer):
    def forward(self, inputs: Tensor) -> Tensor:
        scale, shift = self.change.scale, self.change.shift
        if self._rows_of(inputs) is None:
            scale, shift = scale.mean(dim=0, keepdim=True), shift.mean(dim=0, keepdim=True)
        else:
            scale, shift = scale[self._batch.phases], shift[self._batch.phases]
        channel = 1 if isinstance(self.layer, _BatchNorm) else inputs.dim() - 1
        shape = [1] * inputs.dim()
        shape[0], shape[channel] = scale.shape
        output: Tensor = self.layer(inputs) * (1 + scale.view(shape)) + shift.view(shape)
        return output

    def fixed(self, phase: int) -> nn.Module:
        norm: Any = copy.deepcopy(self.layer)
        with torch.no_grad():
            scale = 1 + self.change.scale[phase].view_as(norm.weight)
            shift = self.change.shift[phase].view_as(norm.weight).clone()
            norm.bias = nn.Parameter(shift if norm.bias is None else norm.bias * scale + shift)
            norm.weight.mul_(scale)
        return norm  # type: ignore[no-any-return]


class PhaseFilm(PhaseLayers):
    """Features are scaled and shifted by phase after each norm of the body.

    ``(1 + scale) · x + shift`` for each channel (Perez et al. 2018, "FiLM", Eq. 2, whose scale is
    predicted as a difference from 1 too), with parameters for each phase in place of a network that
    predicts them.
    """

    _kind, _changed = "batch norm or layer norm", _FilmedNorm

    def _change_of(self, layer: Any) -> nn.Module | None:
        if not _is_plain(layer, nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm):
            return None
        # One weight a channel; a layer norm over several dimensions has more.
        if layer.weight is None or layer.weight.dim() > 1:
            return None
        return _ScaleAndShift(len(layer.weight), self.phases)


class _LowRank(nn.Module):
    def __init__(self, matrix: Tensor, phases: int) -> None:
        super().__init__()
        outputs, inputs = matrix.shape
        rank = min(RANK, outputs, inputs)
        self.down = nn.Parameter(torch.randn(phases, rank, inputs) / math.sqrt(inputs))
        self.up = nn.Parameter(torch.zeros(phases, outputs, rank))

    def forward(self) -> Tensor:
        """``float32[n, outputs, inputs]``: what is added in each phase."""
        return self.up @ self.down


class _AdaptedLayer(ChangedLayer):
    def forward(self, inputs: Tensor) -> Tensor:
        rows, added = self._rows_of(inputs), self.change()
        if rows is None:
            return self._answer(inputs, added.mean(dim=0))
        return rows.joined([self._answer(own, added[k]) for k, own in rows.parts(inputs)])

    def fixed(self, phase: int) -> nn.Module:
        layer: Any = copy.deepcopy(self.layer)
        with torch.no_grad():
            layer.weight.add_(self.change()[phase].view_as(layer.weight))
        return layer  # type: ignore[no-any-return]

    def _answer(self, inputs: Tensor, added: Tensor) -> Tensor:
        layer = self.layer
        weight = layer.weight + added.view_as(layer.weight)
        if isinstance(layer, nn.Linear):
            return functional.linear(inputs, weight, layer.bias)
        return layer._conv_forward(inputs, weight, layer.bias)  # type: ignore[no-any-return]


class PhaseAdapters(PhaseLayers):
    """Weights of every convolution and linear layer of the body change with the phase, by low rank.

    ``W + up · down`` of rank :data:`RANK` for each phase (Hu et al. 2022, "LoRA", Eq. 3, with a
    scale of 1); a convolution's weights are a matrix of its outputs by all of its inputs.
    """

    _kind, _changed = "convolution or linear layer", _AdaptedLayer

    def _change_of(self, layer: Any) -> nn.Module | None:
        if not _is_plain(layer, nn.Conv2d, nn.Linear):
            return None
        return _LowRank(layer.weight.flatten(1), self.phases)


class PhaseBlocks(ConditionedNetwork):
    """A tower whose last block is one of n, which begin with the same weights.

    The phase chooses the block, or a router that learns with the network: a linear layer of the
    means of the block's input, whose likeliest answer is taken. The block's change of its input
    then counts as much as the router was sure of it, and :attr:`extra_loss` keeps the blocks in
    even use: n Σ f_i P_i with shares f and mean probabilities P, times :data:`BALANCE` (Fedus et
    al. 2022, "Switch Transformers", Eqs 2 and 4 to 6). In training a block sees its own positions
    alone, statistics of its batch norms included.

    Args:
        network: A tower.
        phases: How many blocks there are: n.
        learns_routing: Whether a router chooses, and the phase does not.

    Raises:
        InvalidConfig: The network is no tower.
    """

    def __init__(self, network: BodyAndHeads, phases: int, *, learns_routing: bool) -> None:
        super().__init__(phases)
        if not isinstance(network, TowerNetwork) or not isinstance(network.body, nn.Sequential):
            message = (
                f"{type_name(network)}: phase_blocks and phase_router are for towers of blocks, "
                "such as resnet, rise and tower; use phase_heads"
            )
            raise InvalidConfig(message)
        *body, last = network.body
        self.body = nn.Sequential(*body)
        self.blocks = copies(last, phases)
        self.policy, self.value = network.policy, network.value
        channels = network.channels
        self.router = nn.Linear(channels, phases) if learns_routing else None

    def forward(self, planes: Tensor, phases: Tensor | None = None) -> NetworkOutput:
        """Answer ``float32[B, C, H, W]`` of phases ``int64[B]``; None: of the blocks' mean."""
        below = self.body(planes)
        if self.router is not None:
            features = self._routed(below, self.router, has_phases=phases is not None)
        elif phases is None:
            features = torch.stack([block(below) for block in self.blocks]).mean(dim=0)
        else:
            features = self._by_rows(below, phases)
        return NetworkOutput(self.policy(features), *self.value(features))

    def fix_phase(self, phase: int) -> nn.Module:
        """Return a copy with the phase's block; with a router, of all blocks."""
        self._check(phase)
        if self.router is not None:
            return copy.deepcopy(self)
        body = nn.Sequential(*self.body, self.blocks[phase])
        return copy.deepcopy(BodyAndHeads(body, self.policy, self.value))

    def widened(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return weights of the tower as weights with a copy of its last block for each phase."""
        own = self.state_dict()
        kept = {name: own[name] for name in own if name.startswith("router.")}
        last = f"body.{len(self.body)}."
        return kept | with_copies(tensors, {last: ("blocks.", self.phases)})

    def _by_rows(self, below: Tensor, chosen: Tensor) -> Tensor:
        rows = RowsByPhase.of(chosen, self.phases)
        return rows.joined([self.blocks[k](own) for k, own in rows.parts(below)])

    def _routed(self, below: Tensor, router: nn.Module, *, has_phases: bool) -> Tensor:
        chances = torch.softmax(router(below.mean(dim=(2, 3))), dim=1)
        sure, chosen = chances.max(dim=1)
        taken = functional.one_hot(chosen, self.phases).to(chances.dtype)
        if self.training:
            shares = taken.mean(dim=0)
            self.extra_loss = BALANCE * self.phases * (shares * chances.mean(dim=0)).sum()
        # A traced graph cannot choose rows. A training gives phases; without them the network is
        # being checked, by so few rows that a block may get none and would seem not to learn.
        is_traced = torch._C._get_tracing_state() is not None
        if is_traced or (self.training and not has_phases):
            every = torch.stack([block(below) for block in self.blocks], dim=1)
            features = (every * taken[:, :, None, None, None]).sum(dim=1)
        else:
            features = self._by_rows(below, chosen)
        return below + sure[:, None, None, None] * (features - below)


def copies(module: nn.Module, count: int) -> nn.ModuleList:
    """Return copies of a module."""
    return nn.ModuleList(copy.deepcopy(module) for _ in range(count))


def with_copies(
    tensors: Mapping[str, Tensor], many: Mapping[str, tuple[str, int]]
) -> dict[str, Tensor]:
    """Return tensors with those of some parts named as each of the part's copies.

    Args:
        tensors: Weights by name.
        many: Beginnings of names, with what copies are called and how many there are.
    """
    found = {}
    for name, tensor in tensors.items():
        part = next((part for part in many if name.startswith(part)), None)
        if part is None:
            found[name] = tensor
            continue
        called, count = many[part]
        for k in range(count):
            found[f"{called}{k}.{name.removeprefix(part)}"] = tensor
    return found


def _is_plain(layer: Any, *kinds: type[nn.Module]) -> bool:
    """Whether a layer is one of PyTorch's own that computes by its weights and nothing else."""
    return type(layer) in kinds and not layer._forward_hooks and not layer._forward_pre_hooks


def _replace(network: nn.Module, name: str, layer: nn.Module) -> None:
    above, _, own = name.rpartition(".")
    setattr(network.get_submodule(above), own, layer)
