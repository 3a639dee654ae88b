"""RISE: mobile bottlenecks, in most families widening with depth (M2CTS, Fig. 17).

The published towers are written down in ``docs/definitions/published.md#networks``.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, Unpack

from annotated_types import Interval
from torch import nn

from phasezoo.networks.architectures.sizes import MAX_CHANNELS, Blocks, Channels, Share
from phasezoo.networks.blocks import Attention, MobileBottleneck
from phasezoo.networks.depth import stochastic_depths
from phasezoo.networks.heads import TowerOptions
from phasezoo.networks.network import tower_network

VALUE_CHANNELS = 8

PUBLISHED_CHANNELS = 256
PUBLISHED_BLOCKS = 15
"""RISEv3.3 is ``rise-256x15``."""

WIDE_KERNELS = frozenset({7, 11, 12, 13})
"""Blocks of the published tower with 5x5 kernels (M2CTS, Fig. 17)."""

ATTENTION = frozenset({5, 8, 12, 13, 14})
"""Blocks of the published tower with channel attention (M2CTS, Fig. 17)."""

V2_BLOCKS = 13
V2_ATTENTION = frozenset({8, 9, 10, 11, 12})
"""RISEv2 is ``risev2-256x13``, with squeeze-and-excitation in its last five blocks."""


EXPANSION = 4
"""Inner width of the blocks of ``risex4``: 4 of 1 channel, 256 of 64."""


@dataclass(frozen=True)
class BlockPlan:
    """The size of one mobile bottleneck."""

    expanded: int
    """Channels of its depthwise convolution."""
    kernel: int
    """Kernel size of its depthwise convolution."""
    attention: Attention
    """Attention that scales its input."""


def rise(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Channels,
    blocks: Blocks,
    *,
    attention: Literal["eca", "dense", "se", "none"] = "eca",
    drop: Share = 0.0,
    **options: Unpack[TowerOptions],
) -> nn.Module:
    """Make a tower of RISEv3.3; the published one is ``rise-256x15``.

    Args:
        input_shape: Channels, height and width of the input planes.
        num_actions: Size of the policy.
        channels: Channels of the tower.
        blocks: Mobile bottlenecks (see :func:`rise_plan`).
        attention: What a third of the blocks weigh their channels by; the published program has
            ``dense``, its paper ``eca``.
        drop: Stochastic depth of the last block.
        **options: What the stem and the heads are.
    """
    tower = rise_tower(channels, rise_plan(channels, blocks, attention), drop)
    return tower_network(input_shape, channels, tower, num_actions, VALUE_CHANNELS, options=options)


def risev2(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Channels,
    blocks: Blocks,
    *,
    drop: Share = 0.0,
    **options: Unpack[TowerOptions],
) -> nn.Module:
    """Make a tower of RISEv2; the published one is ``risev2-256x13``."""
    tower = rise_tower(channels, risev2_plan(channels, blocks), drop)
    return tower_network(input_shape, channels, tower, num_actions, VALUE_CHANNELS, options=options)


def risex4(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Annotated[int, Interval(ge=1, le=MAX_CHANNELS)],
    blocks: Blocks,
    *,
    drop: Share = 0.0,
    **options: Unpack[TowerOptions],
) -> nn.Module:
    """Make a tower of bottlenecks that are all four times as wide inside, 3x3, leaky ReLU.

    The published ones are ``risex4-1x2`` and ``risex4-64x4``
    (``docs/definitions/published.md#others``). The larger one halves height and width and doubles
    the channels halfway, which saves a sixth of its multiplications; here every block sees the
    whole board.
    """
    tower = [
        MobileBottleneck(channels, EXPANSION * channels, activation="leaky", drop=share)
        for share in stochastic_depths(blocks, drop)
    ]
    return tower_network(input_shape, channels, tower, num_actions, 1, "leaky", options)


def rise_plan(channels: int, blocks: int, attention: Attention = "eca") -> list[BlockPlan]:
    """Scale the published RISEv3.3 schedule to a tower of another size.

    Block i of n stands at depth ``14 i / (n - 1)`` of the published tower and takes that block's
    kernel, attention and width relative to the tower's channels, rounded up to a multiple of 8 (at
    15 blocks of 256 channels this is the published table).
    """
    depths = [_depth(i, blocks, PUBLISHED_BLOCKS) for i in range(blocks)]
    return [_published(depth, channels, attention) for depth in depths]


def risev2_plan(channels: int, blocks: int) -> list[BlockPlan]:
    """Scale the published RISEv2 schedule in the same way."""
    return [_published_v2(_depth(i, blocks, V2_BLOCKS), channels) for i in range(blocks)]


def rise_tower(channels: int, plan: list[BlockPlan], drop: float = 0.0) -> list[nn.Module]:
    """Make the blocks of ``plan``, with stochastic depth that rises to ``drop``."""
    return [
        MobileBottleneck(channels, block.expanded, block.kernel, block.attention, drop=share)
        for block, share in zip(plan, stochastic_depths(len(plan), drop), strict=True)
    ]


def _depth(index: int, blocks: int, published: int) -> int:
    """Return where block ``index`` is in the published tower; a single block takes its start."""
    return round((published - 1) * index / (blocks - 1)) if blocks > 1 else 0


def _published(depth: int, channels: int, attention: Attention) -> BlockPlan:
    wide = depth in WIDE_KERNELS
    expanded = 224 + 32 * depth - (32 * (depth // 2) if wide else 0)
    return BlockPlan(
        expanded=_scaled(expanded, channels),
        kernel=5 if wide else 3,
        attention=attention if depth in ATTENTION else "none",
    )


def _published_v2(depth: int, channels: int) -> BlockPlan:
    return BlockPlan(
        expanded=_scaled(128 + 64 * depth, channels),
        kernel=3,
        attention="se" if depth in V2_ATTENTION else "none",
    )


def _scaled(expanded: int, channels: int) -> int:
    """``expanded`` of a tower of 256 channels for one of ``channels``; whole SIMD vectors of 8."""
    return -(-expanded * channels // (PUBLISHED_CHANNELS * 8)) * 8
