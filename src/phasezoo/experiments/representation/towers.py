"""The towers of the paper's ablations: one kind of block, wide kernels, transformer blocks."""

from typing import Annotated, Literal, Unpack

from annotated_types import Interval
from torch import nn

from phasezoo import networks
from phasezoo.networks.blocks import MobileBottleneck, ResidualBlock
from phasezoo.networks.depth import stochastic_depths
from phasezoo.networks.heads import TowerOptions
from phasezoo.networks.network import tower_network
from phasezoo.networks.nextvit import NextConvolutionBlock, NextTransformerBlock
from phasezoo.networks.sizes import Blocks, Channels, Share

__all__ = ["NAME", "is_wide", "tower", "transformer_places"]

NAME = "tower"
"""How such a network is asked for: ``tower-32x4:block=next``."""

VALUE_CHANNELS = 8

WIDE_SHARE = 0.68
"""Inner width of bottlenecks with 5x5 kernels, as a share of the others' (AlphaVile, Table 6)."""


def tower(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Channels,
    blocks: Blocks,
    *,
    block: Literal["mobile", "classical", "next"] = "mobile",
    expansion: Annotated[int, Interval(ge=1, le=8)] = 2,
    wide: Annotated[float, Interval(ge=0, le=1)] = 0.0,
    transformers: Annotated[int, Interval(ge=0, le=8)] = 0,
    drop: Share = 0.0,
    **options: Unpack[TowerOptions],
) -> nn.Module:
    """Make a tower of one kind of block, with transformer blocks in some places.

    Args:
        input_shape: Channels, height and width of the input planes.
        num_actions: Size of the policy.
        channels: Channels of the tower; a multiple of 32 with blocks of Next-ViT, and at least 96
            with transformer blocks.
        blocks: Blocks, transformer blocks among them.
        block: Mobile bottlenecks, two 3x3 convolutions, or Next-ViT's convolutions.
        expansion: Inner width of mobile bottlenecks, in multiples of the channels.
        wide: Share of them with 5x5 kernels, spread evenly; the paper draws their places.
        transformers: Transformer blocks, placed as AlphaVile does.
        drop: Stochastic depth of the last block.
        **options: What the stem and the heads are.

    Raises:
        InvalidConfig: The channels do not fit the blocks.
    """
    places = transformer_places(blocks, transformers)
    made: list[nn.Module] = []
    for index, share in enumerate(stochastic_depths(blocks, drop)):
        if index in places:
            made.append(NextTransformerBlock(channels, share))
        elif block == "classical":
            made.append(ResidualBlock(channels, share))
        elif block == "next":
            made.append(NextConvolutionBlock(channels, share))
        else:
            made.append(_bottleneck(channels, expansion, share, is_five=is_wide(index, wide)))
    return tower_network(input_shape, channels, made, num_actions, VALUE_CHANNELS, options=options)


def transformer_places(blocks: int, transformers: int) -> frozenset[int]:
    """Where AlphaVile's towers have transformer blocks: evenly, the last block among them.

    With s = blocks // (transformers + 1) they are at blocks % s + 2 s - 1 and every s after it,
    which gives the places of all four published networks; of more places the last ones count.
    """
    if transformers == 0:
        return frozenset()
    stride = blocks // (transformers + 1)
    if stride == 0:
        return frozenset(range(max(blocks - transformers, 0), blocks))
    first = blocks % stride + 2 * stride - 1
    return frozenset(range(first, blocks, stride)[-transformers:])


def is_wide(index: int, share: float) -> bool:
    """Whether block ``index`` has a 5x5 kernel, if a share of all blocks has one."""
    return int((index + 1) * share + 1e-9) > int(index * share + 1e-9)


def _bottleneck(channels: int, expansion: int, drop: float, *, is_five: bool) -> nn.Module:
    expanded = expansion * channels
    if not is_five:
        return MobileBottleneck(channels, expanded, drop=drop)
    narrowed = max(8, 8 * round(WIDE_SHARE * expanded / 8))
    return MobileBottleneck(channels, narrowed, 5, drop=drop)


networks.register(NAME, tower)
