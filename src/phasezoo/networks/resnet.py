"""The residual tower of AlphaZero (Silver et al. 2017)."""

from typing import Literal, Unpack

from torch import nn

from phasezoo.networks.blocks import ResidualBlock
from phasezoo.networks.depth import stochastic_depths
from phasezoo.networks.heads import TowerOptions
from phasezoo.networks.network import tower_network
from phasezoo.networks.sizes import Blocks, Channels, Share

__all__ = ["resnet"]

VALUE_CHANNELS = 4


def resnet(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Channels,
    blocks: Blocks,
    *,
    attention: Literal["none", "eca", "se"] = "none",
    drop: Share = 0.0,
    **options: Unpack[TowerOptions],
) -> nn.Module:
    """Make a tower of residual blocks; the published one is ``resnet-256x19``.

    Args:
        input_shape: Channels, height and width of the input planes.
        num_actions: Size of the policy.
        channels: Channels of the tower.
        blocks: Blocks, of two 3x3 convolutions each.
        attention: What the blocks' branches weigh their channels by.
        drop: Stochastic depth of the last block.
        **options: What the stem and the heads are.
    """
    tower = [ResidualBlock(channels, share, attention) for share in stochastic_depths(blocks, drop)]
    return tower_network(input_shape, channels, tower, num_actions, VALUE_CHANNELS, options=options)
