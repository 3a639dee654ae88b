"""LeViT (Graham et al. 2021) on a board: one stage, without a smaller board on the way."""

from typing import Annotated, Unpack, cast

from annotated_types import Interval
from torch import Tensor, nn

from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.attention import LEVIT_VALUES, LevitAttention
from phasezoo.networks.architectures.sizes import MAX_CHANNELS, Blocks, Share
from phasezoo.networks.blocks import ConvNorm, ResidualBlock
from phasezoo.networks.depth import stochastic_depth, stochastic_depths
from phasezoo.networks.heads import TowerOptions
from phasezoo.networks.network import tower_network

VALUE_CHANNELS = 8

MLP_RATIO = 2


def levit(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Annotated[int, Interval(ge=LEVIT_VALUES, le=MAX_CHANNELS)],
    blocks: Blocks,
    *,
    drop: Share = 0.0,
    **options: Unpack[TowerOptions],
) -> nn.Module:
    """Make a residual block and a tower of LeViT's; the AlphaVile paper's is ``levit-256x9``.

    Its weights are of one size of board, whatever ``pool`` says.
    """
    if channels % LEVIT_VALUES:
        message = f"channels={channels}: LeViT needs a multiple of {LEVIT_VALUES}"
        raise InvalidConfig(message)
    _, height, width = input_shape
    tower: list[nn.Module] = [ResidualBlock(channels)]
    tower += [
        LevitBlock(channels, height, width, share) for share in stochastic_depths(blocks, drop)
    ]
    return tower_network(input_shape, channels, tower, num_actions, VALUE_CHANNELS, options=options)


class LevitBlock(nn.Module):
    """Attention and an MLP of ratio 2 with hard swish, each added to its input.

    Args:
        channels: Channels in and out, a multiple of 64.
        height: Height of the board.
        width: Its width.
        drop: Share of the training positions that pass a branch by.
    """

    def __init__(self, channels: int, height: int, width: int, drop: float = 0.0) -> None:
        super().__init__()
        self.attention = LevitAttention(channels, height, width)
        self.mlp = nn.Sequential(
            ConvNorm(channels, MLP_RATIO * channels, kernel=1, activation="none"),
            nn.Hardswish(),
            ConvNorm(MLP_RATIO * channels, channels, kernel=1, activation="none"),
        )
        self.drop = stochastic_depth(drop)
        for branch in (self.attention.out, self.mlp):  # a new block changes nothing, as published
            nn.init.zeros_(cast("nn.BatchNorm2d", cast("ConvNorm", branch[-1]).norm).weight)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` in and out."""
        planes = planes + self.drop(self.attention(planes))
        output: Tensor = planes + self.drop(self.mlp(planes))
        return output
