"""Policy heads: how logits are read from a map of the board, or from a vector."""

import torch
from torch import Tensor, nn

from phasezoo.networks.blocks import Activation, ConvNorm

POLICY_CHANNELS = 16
"""Channels that a flat policy is read from (``docs/definitions/published.md#networks``)."""

DENSE_CHANNELS = 2
"""Channels that a dense policy is read from (Silver et al. 2017)."""


class GlobalPool(nn.Module):
    """Mean and maximum of each channel over the board (Wu 2019, section 3.3)."""

    def forward(self, features: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` to ``float32[B, 2 C]``."""
        return torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)


class PolicyHead(nn.Module):
    """Policy as planes of moves (as RISE has it): logit ``plane * H * W + square``.

    Args:
        channels: Channels of the body.
        planes: Planes of moves, such as 73 in chess.
        activation: What follows the first convolution.
        kernel: Size of both convolutions, odd.
    """

    def __init__(
        self, channels: int, planes: int, activation: Activation = "relu", kernel: int = 3
    ) -> None:
        super().__init__()
        self.hidden = ConvNorm(channels, channels, kernel, activation=activation)
        self.moves = nn.Conv2d(channels, planes, kernel, padding=kernel // 2, bias=False)

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
        pooled: Whether mean and maximum over the board are read, in place of every square; then
            from as many channels as the body has.
    """

    def __init__(
        self,
        channels: int,
        squares: int,
        actions: int,
        activation: Activation = "relu",
        *,
        pooled: bool = False,
    ) -> None:
        super().__init__()
        read = channels if pooled else POLICY_CHANNELS
        self.hidden = nn.Sequential(
            ConvNorm(channels, channels, activation=activation),
            ConvNorm(channels, read, activation=activation),
        )
        self.gather = GlobalPool() if pooled else nn.Flatten(1)
        self.actions = nn.Linear(2 * read if pooled else read * squares, actions)

    def forward(self, features: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` to ``float32[B, A]``."""
        logits: Tensor = self.actions(self.gather(self.hidden(features)))
        return logits


class DensePolicyHead(nn.Module):
    """Policy of AlphaGo Zero: 1x1 to 2 channels, then fully connected (Silver et al. 2017).

    Args:
        channels: Channels of the body.
        squares: H * W.
        actions: Size A of the policy.
        activation: What follows the convolution.
    """

    def __init__(
        self, channels: int, squares: int, actions: int, activation: Activation = "relu"
    ) -> None:
        super().__init__()
        self.hidden = ConvNorm(channels, DENSE_CHANNELS, kernel=1, activation=activation)
        self.actions = nn.Linear(DENSE_CHANNELS * squares, actions)

    def forward(self, features: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` to ``float32[B, A]``."""
        logits: Tensor = self.actions(self.hidden(features).flatten(1))
        return logits


class FactorisedPolicyHead(nn.Module):
    """Policy as planes of moves from a vector, at a fraction of a fully connected layer's cost.

    The logits are a matrix of planes by squares of rank r (a sum of r products of one number for
    the plane and one for the square), as a bias for every action besides.

    Args:
        width: Size of the vector.
        squares: H * W.
        planes: Planes of moves.
        rank: r.
    """

    def __init__(self, width: int, squares: int, planes: int, rank: int) -> None:
        super().__init__()
        self.rank = rank
        self.planes = nn.Linear(width, planes * rank)
        self.squares = nn.Linear(width, rank * squares)
        self.bias = nn.Parameter(torch.zeros(planes * squares))

    def forward(self, vector: Tensor) -> Tensor:
        """``float32[B, width]`` to ``float32[B, planes * H * W]``."""
        planes = self.planes(vector).unflatten(1, (-1, self.rank))
        squares = self.squares(vector).unflatten(1, (self.rank, -1))
        products: Tensor = planes @ squares
        return products.flatten(1) + self.bias
