"""Several processes that train one network: each with a part of every batch.

They are started by ``torchrun``, or by anything else that sets its variables ``RANK``,
``WORLD_SIZE``, ``LOCAL_RANK``, ``MASTER_ADDR`` and ``MASTER_PORT``.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, distributed, nn
from torch.nn.modules.batchnorm import _BatchNorm

from phasezoo.errors import InvalidConfig

T = TypeVar("T")


@dataclass(frozen=True)
class Team:
    """The processes that train one network; only the first writes files."""

    rank: int = 0
    """This process, from 0."""
    size: int = 1
    """How many there are."""

    @property
    def is_first(self) -> bool:
        """Whether this process writes."""
        return self.rank == 0

    def first(self, work: Callable[[], T]) -> T:
        """Return the first process's value in all processes; each raises its error."""
        if self.size == 1:
            return work()
        shared: list[Any] = [None, None]  # the value, the error
        if self.is_first:
            try:
                shared[0] = work()
            except Exception as error:  # the others must not wait for what will not come
                shared[1] = error
        distributed.broadcast_object_list(shared, src=0)
        if shared[1] is not None:
            raise shared[1]
        answer: T = shared[0]
        return answer

    def gathered(self, part: T) -> list[T]:
        """Return the values of all processes in each of them."""
        if self.size == 1:
            return [part]
        parts: list[Any] = [None] * self.size
        distributed.all_gather_object(parts, part)
        return parts

    def places(self, size: int) -> npt.NDArray[np.int64]:
        """Which of a batch's positions this process answers for."""
        return np.array_split(np.arange(size, dtype=np.int64), self.size)[self.rank]

    def add_up(self, *tensors: Tensor) -> None:
        """Replace tensors by their sums over the processes."""
        if self.size > 1:
            for tensor in tensors:
                distributed.all_reduce(tensor)

    def add_up_gradients(self, network: nn.Module) -> None:
        """Replace the gradients by their sums over the processes, in one message."""
        if self.size == 1:
            return
        gradients = [p.grad for p in network.parameters() if p.grad is not None]
        joined = torch.cat([gradient.flatten() for gradient in gradients])
        distributed.all_reduce(joined)
        parts = torch.split(joined, [gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view(gradient.shape))


ALONE = Team()
"""One process."""


@contextlib.contextmanager
def in_team(device: torch.device, batch_size: int) -> Iterator[tuple[Team, torch.device]]:
    """Join the processes that the environment names; alone, if it names none.

    Yields:
        The team, and this process's own device.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size < 2 and not _joined():
        yield ALONE, device
        return
    if str(device) == "cuda":
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
    ours = not _joined()
    if ours:
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        team = Team(distributed.get_rank(), distributed.get_world_size())
        if batch_size < 4 * team.size:
            message = (
                f"batch_size={batch_size}: too small for {team.size} processes; give each 4 "
                f"positions or more, {4 * team.size} or more together"
            )
            raise InvalidConfig(message)
        yield team, device
    finally:
        if ours:
            distributed.destroy_process_group()


def _joined() -> bool:
    return distributed.is_available() and distributed.is_initialized()


def synchronised(network: nn.Module) -> nn.Module:
    """Have batch norms take their statistics over the positions of all processes.

    So several processes learn what one would learn from the whole batch. The names of parameters
    stay as they are.
    """
    for name, module in list(network.named_children()):
        if isinstance(module, _BatchNorm):
            setattr(network, name, _SynchronisedNorm(module))
        else:
            synchronised(module)
    return network


class _SynchronisedNorm(_BatchNorm):
    """A batch norm over all processes' rows; torch's own one is for GPUs alone.

    Args:
        norm: The batch norm whose parameters and statistics it takes over.
    """

    def __init__(self, norm: _BatchNorm) -> None:
        super().__init__(
            norm.num_features, norm.eps, norm.momentum, norm.affine, norm.track_running_stats
        )
        self.weight, self.bias = norm.weight, norm.bias
        self.running_mean, self.running_var = norm.running_mean, norm.running_var
        self.num_batches_tracked = norm.num_batches_tracked
        self.training = norm.training

    def forward(self, rows: Tensor) -> Tensor:
        """``float32[B, C, …]`` in and out."""
        mean, variance = self.running_mean, self.running_var
        if self.training or mean is None or variance is None:
            mean, variance = self._measured(rows)
        shape = (1, -1, *[1] * (rows.dim() - 2))
        answer = (rows - mean.view(shape)) * torch.rsqrt(variance.view(shape) + self.eps)
        if not self.affine:
            return answer
        return answer * self.weight.view(shape) + self.bias.view(shape)

    def _measured(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance over all processes; running ones follow them while training."""
        own = [0, *range(2, rows.dim())]
        shape = (1, -1, *[1] * (rows.dim() - 2))
        exact = rows.float()
        count = _sum(exact.new_tensor(exact.numel() / exact.shape[1]))
        mean = _sum(exact.sum(own)) / count
        variance = _sum((exact - mean.view(shape)).square().sum(own)) / count
        if self.training and self.running_mean is not None and self.running_var is not None:
            with torch.no_grad():
                assert self.num_batches_tracked is not None
                self.num_batches_tracked += 1
                share = self.momentum
                if share is None:  # a plain mean over all batches
                    share = 1 / int(self.num_batches_tracked)
                self.running_mean.lerp_(mean, share)
                self.running_var.lerp_(variance * count / (count - 1), share)
        return mean, variance


def _sum(own: Tensor) -> Tensor:
    """The sum over all processes, with gradients."""
    total: Tensor = _Sum.apply(own)  # type: ignore[no-untyped-call]
    return total


class _Sum(torch.autograd.Function):
    """A sum over processes; each one's part has a share in every process's loss."""

    @staticmethod
    def forward(_: Any, own: Tensor) -> Tensor:
        total = own.detach().clone()
        distributed.all_reduce(total)
        return total

    @staticmethod
    def backward(_: Any, gradient: Tensor) -> Tensor:
        total = gradient.clone()
        distributed.all_reduce(total)
        return total
