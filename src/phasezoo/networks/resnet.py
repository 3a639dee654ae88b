"""The residual tower of AlphaZero (Silver et al. 2017)."""

from torch import nn

from phasezoo.networks.blocks import ResidualBlock

__all__ = ["resnet_tower"]


def resnet_tower(channels: int, blocks: int) -> list[nn.Module]:
    """Make ``blocks`` residual blocks; the published tower has 19 of 256 channels."""
    return [ResidualBlock(channels) for _ in range(blocks)]
