"""MLP-Mixer (Tolstikhin et al. 2021) on a board, for CPUs: matrix products and little else."""

from typing import Annotated, Unpack

import torch
from annotated_types import Interval
from torch import Tensor, nn

from phasezoo.networks.architectures.sizes import Blocks, Channels, Share
from phasezoo.networks.depth import stochastic_depth, stochastic_depths
from phasezoo.networks.heads import MapHeadOptions, heads
from phasezoo.networks.output import NetworkOutput

VALUE_CHANNELS = 4


def mixer(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Channels,
    blocks: Blocks,
    *,
    mixed: Annotated[int, Interval(ge=1, le=1024)] | None = None,
    ratio: Annotated[int, Interval(ge=1, le=8)] = 2,
    drop: Share = 0.0,
    **options: Unpack[MapHeadOptions],
) -> nn.Module:
    """Make blocks that mix squares, the same for every channel, and channels, for every square.

    Every square sees the whole board after one block. Policies of planes are pointwise unless
    ``policy=`` says otherwise. Its weights are of one size of board, whatever ``pool`` says.

    Args:
        input_shape: Channels, height and width of the input planes.
        num_actions: Size of the policy.
        channels: Channels of each square.
        blocks: Blocks.
        mixed: Hidden units over the squares; as many as squares by default.
        ratio: Hidden units over the channels, in multiples of ``channels``.
        drop: Stochastic depth of the last block.
        **options: What the heads are.
    """
    _, height, width = input_shape
    squares = height * width
    if "policy" not in options and num_actions % squares == 0:
        options["policy"] = "pointwise"
    tower = [
        MixerBlock(channels, squares, mixed or squares, ratio * channels, share)
        for share in stochastic_depths(blocks, drop)
    ]
    return MixerNetwork(input_shape, channels, tower, num_actions, options)


class MixerBlock(nn.Module):
    """Two MLPs with ReLU, over squares and over channels, each behind a norm and added.

    Args:
        channels: Channels of each square.
        squares: Squares.
        mixed: Hidden units over the squares.
        expanded: Hidden units over the channels.
        drop: Share of the training positions that pass a branch by.
    """

    def __init__(
        self, channels: int, squares: int, mixed: int, expanded: int, drop: float = 0.0
    ) -> None:
        super().__init__()
        self.gather = nn.Parameter(torch.empty(mixed, squares))
        self.spread = nn.Parameter(torch.empty(squares, mixed))
        for weights in (self.gather, self.spread):
            bound = weights.shape[1] ** -0.5  # as a linear layer's
            nn.init.uniform_(weights, -bound, bound)
        self.first, self.second = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.widen, self.narrow = nn.Linear(channels, expanded), nn.Linear(expanded, channels)
        self.drop = stochastic_depth(drop)

    def forward(self, tokens: Tensor) -> Tensor:
        """``float32[B, squares, channels]`` in and out."""
        mixed = self.spread @ torch.relu(self.gather @ self.first(tokens))
        tokens = tokens + self.drop(mixed)
        changed = self.narrow(torch.relu(self.widen(self.second(tokens))))
        output: Tensor = tokens + self.drop(changed)
        return output


class MixerNetwork(nn.Module):
    """A linear layer for each square, the blocks, and heads that read a map.

    Args:
        input_shape: Channels, height and width of the input planes.
        channels: Channels of each square.
        blocks: The tower.
        num_actions: Size of the policy.
        options: What the heads are.

    Raises:
        InvalidConfig: The heads do not fit.
    """

    def __init__(
        self,
        input_shape: tuple[int, int, int],
        channels: int,
        blocks: list[MixerBlock],
        num_actions: int,
        options: MapHeadOptions,
    ) -> None:
        super().__init__()
        planes, height, width = input_shape
        self.embed = nn.Conv2d(planes, channels, 1)
        self.body = nn.Sequential(*blocks, nn.LayerNorm(channels))
        self.policy, self.value = heads(
            channels, (height, width), num_actions, VALUE_CHANNELS, options=options
        )

    def forward(self, planes: Tensor) -> NetworkOutput:
        """Answer ``float32[B, C, H, W]``."""
        tokens = self.embed(planes).flatten(2).transpose(1, 2)
        features = self.body(tokens).transpose(1, 2).unflatten(2, planes.shape[2:])
        value = self.value(features)
        return NetworkOutput(self.policy(features), *value)
