"""AlphaVile: mobile bottlenecks with a few transformer blocks of Next-ViT; its variants.

The published towers are written down in ``docs/definitions/published.md#others``. ``tower`` makes
those that the paper compares with them.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, Unpack

from annotated_types import Interval
from torch import nn

from phasezoo.networks.architectures.nextvit import (
    NextConvolutionBlock,
    NextTransformerBlock,
    TransformerChannels,
)
from phasezoo.networks.architectures.sizes import Blocks, Channels, Share
from phasezoo.networks.blocks import MobileBottleneck, ResidualBlock
from phasezoo.networks.depth import stochastic_depths
from phasezoo.networks.heads import TowerOptions
from phasezoo.networks.network import tower_network

VALUE_CHANNELS = 8

EXPANSION = 2
"""Inner width of the bottlenecks, in multiples of the tower's channels."""

WIDE_SHARE = 0.68
"""Inner width of bottlenecks with 5x5 kernels, as a share of the others' (Table 6)."""


@dataclass(frozen=True)
class _Plan:
    channels: int
    blocks: int
    transformers: frozenset[int]
    wide: frozenset[int]


_PLANS = {
    "tiny": _Plan(192, 15, frozenset({14}), frozenset({1, 2, *range(6, 11)})),
    "small": _Plan(192, 22, frozenset({21}), frozenset({0, 4, 5, 6, 10, 11, 13, 15, 17, 20})),
    "normal": _Plan(
        224,
        26,
        frozenset({17, 25}),
        frozenset({0, 4, 5, 7, 10, 12, 15, 16, *range(20, 25)}),
    ),
    "large": _Plan(
        224,
        37,
        frozenset({24, 36}),
        frozenset({1, 6, 7, 9, 10, 14, 18, 19, 23, *range(25, 30), 33, 34, 35}),
    ),
}


def alphavile(
    input_shape: tuple[int, int, int],
    num_actions: int,
    size: Literal["tiny", "small", "normal", "large"],
    *,
    channels: TransformerChannels | None = None,
    drop: Share = 0.05,
    **options: Unpack[TowerOptions],
) -> nn.Module:
    """Make one of the four published networks, such as ``alphavile-tiny``.

    Args:
        input_shape: Channels, height and width of the input planes.
        num_actions: Size of the policy.
        size: Which one.
        channels: Channels of the tower, a multiple of 32, in place of the published ones.
        drop: Stochastic depth of the last block; the paper's by default.
        **options: What the stem and the heads are.
    """
    plan = _PLANS[size]
    width = plan.channels if channels is None else channels
    tower = [
        _block(plan, index, width, share)
        for index, share in enumerate(stochastic_depths(plan.blocks, drop))
    ]
    return tower_network(input_shape, width, tower, num_actions, VALUE_CHANNELS, options=options)


def _block(plan: _Plan, index: int, channels: int, drop: float) -> nn.Module:
    if index in plan.transformers:
        return NextTransformerBlock(channels, drop)
    return _bottleneck(channels, EXPANSION, drop, wide=index in plan.wide, multiple=32)


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
        blocks: Blocks, transformer blocks included.
        block: Mobile bottlenecks, two 3x3 convolutions, or Next-ViT's convolutions.
        expansion: Inner width of mobile bottlenecks, in multiples of the channels.
        wide: Share of them with 5x5 kernels, spread evenly; the paper draws their places.
        transformers: Transformer blocks, placed as AlphaVile does.
        drop: Stochastic depth of the last block.
        **options: Options of the stem and the heads.
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
            is_five = is_wide(index, wide)
            made.append(_bottleneck(channels, expansion, share, wide=is_five, multiple=8))
    return tower_network(input_shape, channels, made, num_actions, VALUE_CHANNELS, options=options)


def transformer_places(blocks: int, transformers: int) -> frozenset[int]:
    """Return where AlphaVile's towers have transformer blocks: evenly, also in the last place.

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
    """Return whether a block has a 5x5 kernel, if a share of all blocks has one."""
    return int((index + 1) * share + 1e-9) > int(index * share + 1e-9)


def _bottleneck(
    channels: int, expansion: int, drop: float, *, wide: bool, multiple: int
) -> nn.Module:
    """Make a bottleneck; with a 5x5 kernel it is narrower inside, by a multiple."""
    expanded = expansion * channels
    if not wide:
        return MobileBottleneck(channels, expanded, drop=drop)
    narrowed = max(multiple, multiple * round(WIDE_SHARE * expanded / multiple))
    return MobileBottleneck(channels, narrowed, 5, drop=drop)
