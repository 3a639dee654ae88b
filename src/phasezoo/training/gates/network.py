"""The network of a gate in training; see :class:`phasezoo.gating.learned.Router`."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from phasezoo.gating.learned import Router


class GateNetwork(nn.Module):
    """Hidden layers with ReLU between planes and the logits of phases.

    Many phases depend on the number of pieces, or of those on a rank, wherever exactly they stand.
    So the first layer's weights are sums of a weight for the whole channel, one for each row, each
    column and each square; the trained gate stores the sum alone.

    Args:
        planes: ``float32[B, C, H, W]``: typical positions, by which channels are scaled.
        hidden: Number of units of each hidden layer.
        phases: Number of phases.
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, planes: npt.NDArray[np.float32], hidden: Sequence[int], phases: int) -> None:
        super().__init__()
        channels, height, width = planes.shape[1:]
        self.shape = (channels, height, width)
        mean, spread = planes.mean(axis=(0, 2, 3)), planes.std(axis=(0, 2, 3))
        spread[spread < 1e-4] = 1  # channels that never change
        self.register_buffer("mean", torch.from_numpy(mean).view(1, -1, 1, 1))
        self.register_buffer("scale", 1 / torch.from_numpy(spread).view(1, -1, 1, 1))
        sizes = [*hidden, phases]
        parts = [(height, width), (height, 1), (1, width), (1, 1)]
        bound = 1 / math.sqrt(channels * sum(math.prod(part) for part in parts))
        self.parts = nn.ParameterList(
            torch.empty(sizes[0], channels, *part).uniform_(-bound, bound) for part in parts
        )
        self.bias = nn.Parameter(torch.zeros(sizes[0]))
        self.rest = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(sizes))

    def forward(self, planes: Tensor) -> Tensor:
        """Return the logits ``float32[B, phases]`` of planes ``float32[B, C, H, W]``."""
        weight, bias = self._first()
        rows = planes.flatten(1) @ weight + bias
        for layer in self.rest:
            rows = layer(torch.relu(rows))
        return rows

    def decayed(self) -> Iterable[nn.Parameter]:
        """Return the parameters with weight decay: weights, not biases."""
        return (parameter for parameter in self.parameters() if parameter.ndim > 1)

    @torch.no_grad()
    def router(self, game: str, planes: str) -> Router:
        """Return the network in the form of a gate."""
        pairs: list[tuple[Any, Any]] = [self._first()]
        pairs += [(layer.weight.T, layer.bias) for layer in self.rest]
        layers = tuple(
            (np.array(weight.numpy(), order="C"), np.array(bias.numpy())) for weight, bias in pairs
        )
        return Router(game, planes, self.shape, layers)

    def _first(self) -> tuple[Tensor, Tensor]:
        """Return ``float32[C * H * W, units]`` and ``float32[units]`` for unscaled planes."""
        squares, rows, columns, whole = self.parts
        _, height, width = self.shape
        weight = (
            squares
            + rows / math.sqrt(width)
            + columns / math.sqrt(height)
            + whole / math.sqrt(height * width)
        ) * self.scale
        bias = self.bias - (weight * self.mean).sum(dim=(1, 2, 3))
        return weight.flatten(1).T, bias
