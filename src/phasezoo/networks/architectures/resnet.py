"""The residual tower of AlphaZero (Silver et al. 2017)."""

from typing import Annotated, Literal, Unpack

import torch
from annotated_types import Interval
from torch import Tensor, nn

from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.sizes import Blocks, Channels, Share
from phasezoo.networks.blocks import ConvNorm, ResidualBlock
from phasezoo.networks.depth import stochastic_depth, stochastic_depths
from phasezoo.networks.heads import TowerOptions
from phasezoo.networks.network import tower_network

VALUE_CHANNELS = 4


def resnet(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Channels,
    blocks: Blocks,
    *,
    attention: Literal["none", "eca", "se"] = "none",
    board: Annotated[int, Interval(ge=0, le=256)] = 0,
    drop: Share = 0.0,
    **options: Unpack[TowerOptions],
) -> nn.Module:
    """Make a tower of residual blocks; the published one is ``resnet-256x19``."""
    if board and options.get("pool") == "global":
        message = (
            f"board={board} with pool=global: a layer over the whole board knows one size of it; "
            "leave one of the two out"
        )
        raise InvalidConfig(message)
    _, height, width = input_shape
    tower: list[nn.Module] = []
    for share in stochastic_depths(blocks, drop):
        tower.append(ResidualBlock(channels, share, attention))
        if board:
            tower.append(BoardBlock(channels, board, height * width, share))
    return tower_network(input_shape, channels, tower, num_actions, VALUE_CHANNELS, options=options)


class BoardBlock(nn.Module):
    """One layer that is fully connected over the board, added to its input, ReLU.

    1x1 to a few channels, ReLU, every square and channel to every other one, ReLU, 1x1 back. Matrix
    products show each square the whole board at once, for which 3x3 convolutions need seven layers.

    Args:
        channels: Channels in and out.
        mixed: Channels of the layer over the board.
        squares: Squares of the board.
        drop: Share of the training positions that pass the branch by.
    """

    def __init__(self, channels: int, mixed: int, squares: int, drop: float = 0.0) -> None:
        super().__init__()
        self.gather = ConvNorm(channels, mixed, kernel=1)
        self.mix = nn.Linear(mixed * squares, mixed * squares)
        self.spread = ConvNorm(mixed, channels, kernel=1, activation="none")
        self.drop = stochastic_depth(drop)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` in and out."""
        # Channels last, so that the layer reads the numbers as they lie.
        few = self.gather(planes).permute(0, 2, 3, 1)
        vector = torch.relu(self.mix(few.flatten(1)))
        mixed = vector.reshape(-1, *few.shape[1:]).permute(0, 3, 1, 2)
        return torch.relu(planes + self.drop(self.spread(mixed)))
