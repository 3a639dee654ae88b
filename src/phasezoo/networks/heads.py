"""The heads: a policy, and win/draw/loss with the plies that are left."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from phasezoo.networks.blocks import Activation, ConvNorm

__all__ = ["FlatPolicyHead", "NetworkOutput", "PolicyHead", "ValueHead"]

POLICY_CHANNELS = 16
"""Channels that a flat policy is read from (``docs/definitions/published.md#networks``)."""


class NetworkOutput(NamedTuple):
    """What a network says of B positions, each from the view of its player to move."""

    policy_logits: Tensor
    """``float32[B, A]``, illegal actions included."""
    wdl_logits: Tensor
    """``float32[B, 3]``, in the order win, draw, loss."""
    plies: Tensor
    """``float32[B]`` in [0, 1]: plies to the end of the game / 100, where 1 is 100 or more."""

    def value(self) -> Tensor:
        """``float32[B]`` in [-1, 1]: the probability of winning minus that of losing."""
        win, _, loss = torch.softmax(self.wdl_logits, dim=1).unbind(dim=1)
        return win - loss


class PolicyHead(nn.Module):
    """Policy as planes of moves (as RISE has it): logit ``plane * H * W + square``.

    Args:
        channels: Channels of the body.
        planes: Planes of moves, such as 73 in chess.
        activation: What follows the first convolution.
    """

    def __init__(self, channels: int, planes: int, activation: Activation = "relu") -> None:
        super().__init__()
        self.hidden = ConvNorm(channels, channels, activation=activation)
        self.moves = nn.Conv2d(channels, planes, 3, padding=1, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` to ``float32[B, planes * H * W]``."""
        logits: Tensor = self.moves(self.hidden(features))
        return logits.flatten(1)


class FlatPolicyHead(nn.Module):
    """Policy over actions that are no moves between squares, such as six of a walker.

    A convolution to 16 channels and one layer that is fully connected, as published
    (``docs/definitions/published.md#networks``).

    Args:
        channels: Channels of the body.
        squares: H * W.
        actions: Size A of the policy.
        activation: What follows the convolutions.
    """

    def __init__(
        self, channels: int, squares: int, actions: int, activation: Activation = "relu"
    ) -> None:
        super().__init__()
        self.hidden = nn.Sequential(
            ConvNorm(channels, channels, activation=activation),
            ConvNorm(channels, POLICY_CHANNELS, activation=activation),
        )
        self.actions = nn.Linear(POLICY_CHANNELS * squares, actions)

    def forward(self, features: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` to ``float32[B, A]``."""
        logits: Tensor = self.actions(self.hidden(features).flatten(1))
        return logits


class ValueHead(nn.Module):
    """The WDLP head (AlphaVile): logits of win, draw, loss, and plies to the end.

    Args:
        channels: Channels of the body.
        squares: H * W.
        hidden: Channels of the 1x1 convolution that both answers are read from.
        activation: What follows it.
    """

    def __init__(
        self, channels: int, squares: int, hidden: int, activation: Activation = "relu"
    ) -> None:
        super().__init__()
        self.hidden = ConvNorm(channels, hidden, kernel=1, activation=activation)
        self.wdl = nn.Linear(hidden * squares, 3)
        self.plies = nn.Linear(hidden * squares, 1)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """``float32[B, C, H, W]`` to WDL logits ``float32[B, 3]`` and plies ``float32[B]``."""
        hidden = self.hidden(features).flatten(1)
        return self.wdl(hidden), torch.sigmoid(self.plies(hidden)).squeeze(1)
