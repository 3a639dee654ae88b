"""Value heads: win, draw and loss, or expected returns, from a map of the board or a vector."""

from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from phasezoo.networks.blocks import Activation, ConvNorm
from phasezoo.networks.policy_heads import GlobalPool

ValueKind: TypeAlias = Literal["wdlp", "wdl", "mse", "players"]
"""Win, draw, loss and the plies that are left; the first three alone; one number; or one number
for each player."""

ValueAnswers: TypeAlias = tuple[Tensor | None, Tensor | None, Tensor | None, Tensor | None]
"""WDL logits, plies, the scalar, and the values, as ``NetworkOutput`` has them."""


class VectorValueHead(nn.Module):
    """The value from a vector.

    ``wdlp`` (AlphaVile) and ``wdl`` read logits of win, draw and loss, the former the plies to the
    end too; ``mse`` (Silver et al. 2017) and ``players`` the expected returns through one hidden
    layer and tanh.

    Args:
        width: Size of the vector.
        kind: What is answered.
        units: Size of the hidden layer of ``mse`` and ``players``.
        num_players: How many play, for ``players``.
    """

    def __init__(self, width: int, kind: ValueKind, units: int, num_players: int) -> None:
        super().__init__()
        self._read(width, kind, units, num_players)

    def _read(self, width: int, kind: ValueKind, units: int, num_players: int) -> None:
        self.kind = kind
        if kind in ("wdlp", "wdl"):
            self.wdl = nn.Linear(width, 3)
            self.plies = nn.Linear(width, 1) if kind == "wdlp" else None
        else:
            answers = num_players if kind == "players" else 1
            self.returns = nn.Sequential(
                nn.Linear(width, units), nn.ReLU(inplace=True), nn.Linear(units, answers), nn.Tanh()
            )

    def forward(self, vector: Tensor) -> ValueAnswers:
        """``float32[B, width]`` to what :class:`NetworkOutput` has after the policy."""
        if self.kind == "mse":
            return None, None, self.returns(vector).squeeze(1), None
        if self.kind == "players":
            return None, None, None, self.returns(vector)
        wdl = self.wdl(vector)
        plies = None if self.plies is None else torch.sigmoid(self.plies(vector)).squeeze(1)
        return wdl, plies, None, None


class ValueHead(VectorValueHead):
    """The value from a map of the board, by a 1x1 convolution to few channels.

    Args:
        channels: Channels of the body.
        squares: H * W.
        hidden: Channels of the 1x1 convolution that all answers are read from.
        activation: What follows it.
        pooled: Whether mean and maximum over the board are read, in place of every square.
        kind: What is answered.
        units: Size of the hidden layer of ``mse`` and ``players``.
        num_players: How many play, for ``players``.
    """

    def __init__(
        self,
        channels: int,
        squares: int,
        hidden: int,
        activation: Activation,
        *,
        pooled: bool,
        kind: ValueKind,
        units: int,
        num_players: int,
    ) -> None:
        nn.Module.__init__(self)
        self.hidden = ConvNorm(channels, hidden, kernel=1, activation=activation)
        self.gather = GlobalPool() if pooled else nn.Flatten(1)
        self._read(2 * hidden if pooled else hidden * squares, kind, units, num_players)

    def forward(self, features: Tensor) -> ValueAnswers:
        """``float32[B, C, H, W]`` to what :class:`NetworkOutput` has after the policy."""
        return super().forward(self.gather(self.hidden(features)))
