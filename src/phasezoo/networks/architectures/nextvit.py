"""Next-ViT (Li et al. 2022): blocks of grouped convolutions, and blocks that end in attention."""

from typing import Annotated, Unpack

import torch
from annotated_types import Interval
from torch import Tensor, nn

from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.attention import HEAD, MapAttention
from phasezoo.networks.architectures.sizes import MAX_CHANNELS, Blocks, Share
from phasezoo.networks.blocks import ConvNorm, folded_before
from phasezoo.networks.depth import stochastic_depth, stochastic_depths
from phasezoo.networks.heads import TowerOptions
from phasezoo.networks.network import tower_network

ATTENTION_SHARE = 0.75
"""Share of a transformer block's channels that attend; the others are convolved."""

VALUE_CHANNELS = 8

TransformerChannels = Annotated[int, Interval(ge=3 * HEAD, le=MAX_CHANNELS)]
"""Channels of a tower with transformer blocks; a multiple of 32."""


def nextvit(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: TransformerChannels,
    blocks: Blocks,
    *,
    drop: Share = 0.0,
    **options: Unpack[TowerOptions],
) -> nn.Module:
    """Make a tower of convolution blocks that ends in a transformer block.

    The AlphaVile paper's is ``nextvit-256x9``.
    """
    *before, last = stochastic_depths(blocks, drop)
    tower: list[nn.Module] = [NextConvolutionBlock(channels, share) for share in before]
    tower.append(NextTransformerBlock(channels, last))
    return tower_network(input_shape, channels, tower, num_actions, VALUE_CHANNELS, options=options)


class NormedMlp(nn.Module):
    """Batch norm and two 1x1 convolutions with ReLU between them.

    Args:
        channels: Channels in and out.
        ratio: Channels between them, in multiples of ``channels``.
    """

    def __init__(self, channels: int, ratio: int) -> None:
        super().__init__()
        self.norm: nn.Module = nn.BatchNorm2d(channels)
        self.widen = nn.Conv2d(channels, ratio * channels, 1)
        self.narrow = nn.Conv2d(ratio * channels, channels, 1)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` in and out."""
        output: Tensor = self.narrow(torch.relu(self.widen(self.norm(planes))))
        return output

    def fold(self) -> None:
        """Put the batch norm's running statistics into the convolution; for inference only."""
        if isinstance(self.norm, nn.BatchNorm2d):
            folded_before(self.widen, self.norm)
            self.norm = nn.Identity()


def _multi_head_convolution(channels: int) -> nn.Module:
    """Return a 3x3 convolution in groups of 32 channels, then 1x1 over all of them."""
    return nn.Sequential(
        ConvNorm(channels, channels, groups=channels // HEAD),
        nn.Conv2d(channels, channels, 1, bias=False),
    )


class NextConvolutionBlock(nn.Module):
    """A grouped convolution and an MLP of ratio 3, each added to its input.

    Args:
        channels: Channels in and out, a multiple of 32.
        drop: Share of the training positions that pass a branch by.

    Raises:
        InvalidConfig: The channels are no multiple of 32.
    """

    def __init__(self, channels: int, drop: float = 0.0) -> None:
        super().__init__()
        _check(channels)
        self.convolution = _multi_head_convolution(channels)
        self.mlp = NormedMlp(channels, 3)
        self.drop = stochastic_depth(drop)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` in and out."""
        planes = planes + self.drop(self.convolution(planes))
        output: Tensor = planes + self.drop(self.mlp(planes))
        return output


class NextTransformerBlock(nn.Module):
    """Attention in three quarters of the channels, grouped convolution of the rest, then an MLP.

    Without positions and without a smaller board for the keys, as AlphaVile has it
    (``docs/definitions/published.md#others``).

    Args:
        channels: Channels in and out, a multiple of 32 and at least 96.
        drop: Share of the training positions that pass the MLP by; the branches of attention and
            convolution share it as they share the channels.

    Raises:
        InvalidConfig: The channels are no multiple of 32.
    """

    def __init__(self, channels: int, drop: float = 0.0) -> None:
        super().__init__()
        _check(channels)
        attending = int(ATTENTION_SHARE * channels + HEAD / 2) // HEAD * HEAD
        convolved = channels - attending
        self.narrow = ConvNorm(channels, attending, kernel=1, activation="none")
        self.attention = MapAttention(attending)
        self.project = ConvNorm(attending, convolved, kernel=1, activation="none")
        self.convolution = _multi_head_convolution(convolved)
        self.mlp = NormedMlp(channels, 2)
        self.drop_attention = stochastic_depth(drop * ATTENTION_SHARE)
        self.drop_convolution = stochastic_depth(drop * (1 - ATTENTION_SHARE))
        self.drop = stochastic_depth(drop)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` in and out."""
        planes = self.narrow(planes)
        planes = planes + self.drop_attention(self.attention(planes))
        local = self.project(planes)
        local = local + self.drop_convolution(self.convolution(local))
        joined = torch.cat([planes, local], dim=1)
        output: Tensor = joined + self.drop(self.mlp(joined))
        return output


def _check(channels: int) -> None:
    if channels % HEAD:
        message = f"channels={channels}: Next-ViT's blocks need a multiple of {HEAD}"
        raise InvalidConfig(message)
