"""The heads that read a tower: a policy, and a value of one of four kinds."""

from typing import Annotated, Literal, TypeAlias, TypedDict

import torch
from torch import Tensor, nn

from phasezoo.errors import InvalidConfig
from phasezoo.networks.blocks import Activation, ConvNorm
from phasezoo.networks.options import Between

__all__ = [
    "DensePolicyHead",
    "FlatPolicyHead",
    "HeadOptions",
    "PolicyHead",
    "PolicyKind",
    "Pool",
    "ValueHead",
    "ValueKind",
    "heads",
]

POLICY_CHANNELS = 16
"""Channels that a flat policy is read from (``docs/definitions/published.md#networks``)."""

DENSE_CHANNELS = 2
"""Channels that a dense policy is read from (Silver et al. 2017)."""

POOLED_CHANNELS = 32
"""Channels of a value head that is pooled over the board (Wu 2019, KataGo's smaller networks)."""

VALUE_HIDDEN = 256
"""Hidden units of a value head without win, draw and loss (Silver et al. 2017)."""

ValueKind: TypeAlias = Literal["wdlp", "wdl", "mse", "players"]
"""Win, draw, loss and the plies that are left; the first three alone; one number; or one number
for each player."""

PolicyKind: TypeAlias = Literal["auto", "planes", "pointwise", "flat", "dense"]
"""Planes of moves by 3x3 convolutions or, cheaper, by 1x1; or read by a layer that is fully
connected, from 16 channels or from 2. Auto: planes if the actions are a multiple of height times
width, else flat."""

Pool: TypeAlias = Literal["none", "global"]
"""Whether the heads read the board square by square, or its mean and its maximum: then the weights
fit boards of any size."""


class HeadOptions(TypedDict, total=False):
    """The options of all networks that have these heads."""

    value: ValueKind
    policy: PolicyKind
    pool: Pool
    value_channels: Annotated[int, Between(1, 1024)]
    value_hidden: Annotated[int, Between(1, 4096)]
    num_players: int


ValueAnswers: TypeAlias = tuple[Tensor | None, Tensor | None, Tensor | None, Tensor | None]
"""WDL logits, plies, the scalar, and the values, as ``NetworkOutput`` has them."""


def heads(
    channels: int,
    board: tuple[int, int],
    num_actions: int,
    value_channels: int,
    activation: Activation = "relu",
    *,
    options: HeadOptions,
) -> tuple[nn.Module, nn.Module]:
    """The policy head and the value head for features ``float32[B, channels, *board]``.

    Args:
        channels: Channels of the body.
        board: Height and width.
        num_actions: Size A of the policy.
        value_channels: Channels of the value head unless ``options`` say otherwise.
        activation: What follows the heads' convolutions.
        options: What the network's text says of them.

    Raises:
        InvalidConfig: The options contradict each other or do not fit the actions.
    """
    pooled = options.get("pool", "none") == "global"
    squares = board[0] * board[1]
    policy = _policy(
        options.get("policy", "auto"), channels, squares, num_actions, activation, pooled
    )
    value = ValueHead(
        channels,
        squares,
        options.get("value_channels", POOLED_CHANNELS if pooled else value_channels),
        activation,
        kind=options.get("value", "wdlp"),
        pooled=pooled,
        units=options.get("value_hidden", VALUE_HIDDEN),
        num_players=options.get("num_players", 2),
    )
    return policy, value


def _policy(
    kind: PolicyKind,
    channels: int,
    squares: int,
    actions: int,
    activation: Activation,
    pooled: bool,
) -> nn.Module:
    planes, rest = divmod(actions, squares)
    if kind == "auto":
        kind = "flat" if rest else "planes"
    if kind in ("planes", "pointwise"):
        if rest:
            message = (
                f"policy={kind}: {actions} actions are no planes of {squares} squares; use "
                "policy=flat"
            )
            raise InvalidConfig(message)
        return PolicyHead(channels, planes, activation, kernel=3 if kind == "planes" else 1)
    if kind == "flat":
        return FlatPolicyHead(channels, squares, actions, activation, pooled=pooled)
    if pooled:
        message = "pool=global: policy=dense reads every square of one board; use planes or flat"
        raise InvalidConfig(message)
    return DensePolicyHead(channels, squares, actions, activation)


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


class ValueHead(nn.Module):
    """The value, from a 1x1 convolution to few channels.

    ``wdlp`` (AlphaVile) and ``wdl`` read logits of win, draw and loss from them, the former the
    plies to the end too; ``mse`` (Silver et al. 2017) and ``players`` the expected returns through
    one hidden layer and tanh.

    Args:
        channels: Channels of the body.
        squares: H * W.
        hidden: Channels of the 1x1 convolution that all answers are read from.
        activation: What follows it.
        kind: What is answered.
        pooled: Whether mean and maximum over the board are read, in place of every square.
        units: Size of the hidden layer of ``mse`` and ``players``.
        num_players: How many play, for ``players``.
    """

    def __init__(
        self,
        channels: int,
        squares: int,
        hidden: int,
        activation: Activation = "relu",
        *,
        kind: ValueKind = "wdlp",
        pooled: bool = False,
        units: int = VALUE_HIDDEN,
        num_players: int = 2,
    ) -> None:
        super().__init__()
        self.kind = kind
        self.hidden = ConvNorm(channels, hidden, kernel=1, activation=activation)
        self.gather = GlobalPool() if pooled else nn.Flatten(1)
        size = 2 * hidden if pooled else hidden * squares
        if kind in ("wdlp", "wdl"):
            self.wdl = nn.Linear(size, 3)
            self.plies = nn.Linear(size, 1) if kind == "wdlp" else None
        else:
            answers = num_players if kind == "players" else 1
            self.returns = nn.Sequential(
                nn.Linear(size, units), nn.ReLU(inplace=True), nn.Linear(units, answers), nn.Tanh()
            )

    def forward(self, features: Tensor) -> ValueAnswers:
        """``float32[B, C, H, W]`` to what :class:`NetworkOutput` has after the policy."""
        hidden = self.gather(self.hidden(features))
        if self.kind == "mse":
            return None, None, self.returns(hidden).squeeze(1), None
        if self.kind == "players":
            return None, None, None, self.returns(hidden)
        wdl = self.wdl(hidden)
        plies = None if self.plies is None else torch.sigmoid(self.plies(hidden)).squeeze(1)
        return wdl, plies, None, None
