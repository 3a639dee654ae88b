"""Networks that are shown the pieces and one thing more: the other planes are blank for them."""

from typing import Literal

import torch
from torch import Tensor, nn

from phasezoo import networks
from phasezoo.experiments.atomic.config import INPUTS
from phasezoo.networks import NetworkOutput

__all__ = ["NAME", "Shown", "shown_network"]

NAME = "shown"
"""How such a network is asked for: ``shown-16x2:thing=clock``."""

PIECES = 12
"""Planes of pieces come first."""


class Shown(nn.Module):
    """A network behind a mask over its input planes.

    Args:
        network: What is masked, of planes ``float32[B, C, H, W]``.
        channels: C.
        kept: The planes that it is shown; the others are 0 for it.
    """

    kept: Tensor

    def __init__(self, network: nn.Module, channels: int, kept: tuple[int, ...]) -> None:
        super().__init__()
        self.network = network
        mask = torch.zeros(1, channels, 1, 1)
        mask[:, list(kept)] = 1
        self.register_buffer("kept", mask, persistent=False)

    def forward(self, planes: Tensor) -> NetworkOutput:
        """What the network answers to the planes that it is shown."""
        answer: NetworkOutput = self.network(planes * self.kept)
        return answer


def shown_network(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: int,
    blocks: int,
    thing: Literal[
        "repetitions", "en-passant", "colour", "move-number", "castling", "clock", "last-moves"
    ] = "clock",
) -> nn.Module:
    """The thesis' network of planes ``v1``, which sees the pieces and ``thing`` alone.

    Args:
        input_shape: Shape of the planes.
        num_actions: Actions of the game.
        channels: Of its tower.
        blocks: Of its tower.
        thing: What it sees besides the pieces.
    """
    text = f"resnet-{channels}x{blocks}:policy=dense,value=mse,value_channels=1,value_units=64"
    made = networks.make(text, input_shape, num_actions)
    return Shown(made, input_shape[0], (*range(PIECES), *INPUTS[thing]))


networks.register(NAME, shown_network)
