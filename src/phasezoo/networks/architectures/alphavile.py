"""AlphaVile: mobile bottlenecks with a few transformer blocks of Next-ViT among them.

The published towers are written down in ``docs/definitions/published.md#others``.
"""

from dataclasses import dataclass
from typing import Literal, Unpack

from torch import nn

from phasezoo.networks.architectures.nextvit import NextTransformerBlock, TransformerChannels
from phasezoo.networks.architectures.sizes import Share
from phasezoo.networks.blocks import MobileBottleneck
from phasezoo.networks.depth import stochastic_depths
from phasezoo.networks.heads import TowerOptions
from phasezoo.networks.network import tower_network

VALUE_CHANNELS = 8

EXPANSION = 2
"""Inner width of the bottlenecks, in multiples of the tower's channels."""

WIDE_SHARE = 0.68
"""Share of it that bottlenecks with 5x5 kernels have, rounded to a multiple of 32."""


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

    Raises:
        InvalidConfig: The channels are no multiple of 32.
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
    expanded = EXPANSION * channels
    if index not in plan.wide:
        return MobileBottleneck(channels, expanded, drop=drop)
    return MobileBottleneck(channels, 32 * round(WIDE_SHARE * expanded / 32), 5, drop=drop)
