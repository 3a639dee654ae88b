"""RISE: mobile bottlenecks, in most families widening with depth (M2CTS, Fig. 17).

The published towers are written down in ``docs/definitions/published.md#networks``.
"""

from dataclasses import dataclass

from torch import nn

from phasezoo.networks.blocks import Attention, MobileBottleneck

__all__ = ["BlockPlan", "rise_plan", "rise_tower", "risev2_plan", "risex4_tower"]

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
    """What scales its input."""


def rise_plan(channels: int, blocks: int) -> list[BlockPlan]:
    """Scale the published RISEv3.3 schedule to a tower of another size.

    Block i of n stands at depth ``14 i / (n - 1)`` of the published tower and takes that block's
    kernel, attention and width relative to the tower's channels, rounded up to a multiple of 8 (at
    15 blocks of 256 channels this is the published table).
    """
    return [_published(_depth(i, blocks, PUBLISHED_BLOCKS), channels) for i in range(blocks)]


def risev2_plan(channels: int, blocks: int) -> list[BlockPlan]:
    """Scale the published RISEv2 schedule in the same way."""
    return [_published_v2(_depth(i, blocks, V2_BLOCKS), channels) for i in range(blocks)]


def rise_tower(channels: int, plan: list[BlockPlan]) -> list[nn.Module]:
    """Make the blocks of ``plan``."""
    return [
        MobileBottleneck(channels, block.expanded, block.kernel, block.attention) for block in plan
    ]


def risex4_tower(channels: int, blocks: int) -> list[nn.Module]:
    """Make the blocks of ``risex4``: all four times as wide inside, 3x3, leaky ReLU.

    The published ones are ``risex4-1x2`` and ``risex4-64x4``
    (``docs/definitions/published.md#others``). The larger one halves height and width and doubles
    the channels halfway, which saves a sixth of its multiplications; here every block sees the
    whole board.
    """
    return [
        MobileBottleneck(channels, EXPANSION * channels, activation="leaky") for _ in range(blocks)
    ]


def _depth(index: int, blocks: int, published: int) -> int:
    """Where block ``index`` stands in the published tower; a single block takes its start."""
    return round((published - 1) * index / (blocks - 1)) if blocks > 1 else 0


def _published(depth: int, channels: int) -> BlockPlan:
    wide = depth in WIDE_KERNELS
    expanded = 224 + 32 * depth - (32 * (depth // 2) if wide else 0)
    return BlockPlan(
        expanded=_scaled(expanded, channels),
        kernel=5 if wide else 3,
        attention="eca" if depth in ATTENTION else "none",
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
