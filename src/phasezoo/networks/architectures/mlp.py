"""Networks of fully connected layers, with convolutions before them or without: for CPUs."""

from typing import Annotated, Unpack

import torch
from annotated_types import Interval
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_linear_bn_eval

from phasezoo.networks.architectures.sizes import Blocks, Channels, Share
from phasezoo.networks.blocks import ConvNorm, ResidualBlock
from phasezoo.networks.depth import stochastic_depth, stochastic_depths
from phasezoo.networks.heads import VectorHeadOptions
from phasezoo.networks.network import VectorNetwork

Width = Annotated[int, Interval(ge=8, le=4096)]
"""Units of a fully connected layer."""


def mlp(
    input_shape: tuple[int, int, int],
    num_actions: int,
    width: Width,
    blocks: Blocks,
    *,
    drop: Share = 0.0,
    **options: Unpack[VectorHeadOptions],
) -> nn.Module:
    """Make fully connected layers from the planes to the heads, such as ``mlp-256x2``."""
    planes, height, rows = input_shape
    body = nn.Sequential(nn.Flatten(1), *_layers(planes * height * rows, width, blocks, drop))
    return VectorNetwork(body, width, (height, rows), num_actions, options)


def convmlp(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Channels,
    blocks: Annotated[int, Interval(ge=0, le=100)],
    *,
    squeeze: Annotated[int, Interval(ge=1, le=1024)] = 8,
    width: Width = 256,
    layers: Annotated[int, Interval(ge=0, le=100)] = 1,
    drop: Share = 0.0,
    **options: Unpack[VectorHeadOptions],
) -> nn.Module:
    """Make a few residual blocks of convolutions and fully connected layers after them."""
    planes, height, rows = input_shape
    shares = stochastic_depths(blocks, drop) if blocks else []
    body = nn.Sequential(
        ConvNorm(planes, channels),
        *(ResidualBlock(channels, share) for share in shares),
        ConvNorm(channels, squeeze, kernel=1),
        nn.Flatten(1),
        *_layers(squeeze * height * rows, width, layers, drop),
    )
    network = VectorNetwork(body, width, (height, rows), num_actions, options)
    return network.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def _layers(inputs: int, width: int, blocks: int, drop: float) -> list[nn.Module]:
    shares = stochastic_depths(blocks, drop) if blocks else []
    blocks_of_two = [ResidualLayers(width, share) for share in shares]
    return [LinearNorm(inputs, width), nn.ReLU(inplace=True), *blocks_of_two]


class LinearNorm(nn.Module):
    """A linear layer without bias and a batch norm.

    Args:
        inputs: Size of what comes in.
        outputs: Size of what leaves.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs, bias=False)
        self.norm: nn.Module = nn.BatchNorm1d(outputs)

    def forward(self, vector: Tensor) -> Tensor:
        """``float32[B, inputs]`` to ``float32[B, outputs]``."""
        output: Tensor = self.norm(self.linear(vector))
        return output

    def fold(self) -> None:
        """Put the batch norm's running statistics into the linear layer; for inference only."""
        if isinstance(self.norm, nn.BatchNorm1d):
            self.linear = fuse_linear_bn_eval(self.linear, self.norm)
            self.norm = nn.Identity()


class ResidualLayers(nn.Module):
    """Two fully connected layers with ReLU between them, added to their input, ReLU.

    Args:
        width: Size of what comes in and leaves.
        drop: Share of the training positions that pass the two by.
    """

    def __init__(self, width: int, drop: float = 0.0) -> None:
        super().__init__()
        self.branch = nn.Sequential(
            LinearNorm(width, width), nn.ReLU(inplace=True), LinearNorm(width, width)
        )
        self.drop = stochastic_depth(drop)

    def forward(self, vector: Tensor) -> Tensor:
        """``float32[B, width]`` in and out."""
        return torch.relu(vector + self.drop(self.branch(vector)))
