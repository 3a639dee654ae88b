"""The residual towers of lc0 (Leela Chess Zero, the successor of Silver et al. 2017 for chess).

Published networks are of this kind: those of lc0 before its transformers, and Maia's
(McIlroy-Young et al. 2020). ``docs/definitions/lc0.md`` describes planes, moves and files.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

import torch
from annotated_types import Interval
from torch import Tensor, nn

from phasezoo import _core
from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.attention import LayerActivation, layer_activation
from phasezoo.networks.architectures.lc0_encoder import (
    MAP_EPSILON,
    Heads,
    OptionalUnits,
    policy_encoder,
)
from phasezoo.networks.architectures.lc0_moves import (
    ACTIONS,
    CONVOLUTION_PLANES,
    PLANES,
    SQUARES,
    MoveActions,
    square_of,
)
from phasezoo.networks.architectures.sizes import Blocks, Channels
from phasezoo.networks.blocks import Activation, ConvNorm, activation_of
from phasezoo.networks.output import NetworkOutput

PLIES_UNIT = 100.0
"""Plies that 1 stands for in ``NetworkOutput.plies``."""

PROMOTIONS = "qrb"
"""Pieces of the promotions that have a move of their own, in the order of the attention policy."""

ATTENTION_READ = ATTENTION_UNITS = 64
"""Sizes of a token of the attention policy and of its queries, unless others are given."""

Units = Annotated[int, Interval(ge=1, le=4096)]


def lc0(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Channels,
    blocks: Blocks,
    *,
    squeeze: OptionalUnits = 8,
    activation: Literal["relu", "mish"] = "relu",
    policy: Literal["convolution", "classical", "attention"] = "convolution",
    policy_channels: Units = 32,
    policy_units: Units = ATTENTION_UNITS,
    policy_blocks: OptionalUnits = 0,
    policy_heads: Heads = 4,
    policy_width: OptionalUnits = 0,
    policy_ffn: OptionalUnits = 0,
    value: Literal["wdl", "mse"] = "wdl",
    value_channels: Units = 32,
    value_units: Units = 128,
    moves_left: OptionalUnits = 0,
    moves_left_units: Units = 128,
) -> nn.Module:
    """Make a tower of lc0; those of Maia are ``lc0-64x6``.

    Args:
        input_shape: ``(112, 8, 8)``, or ``(113, 8, 8)`` of a canonical form.
        num_actions: The 4,672 of chess.
        channels: Channels of the tower.
        blocks: Residual blocks.
        squeeze: Units of squeeze-and-excitation; 0: the blocks have none.
        activation: What follows convolutions and hidden layers.
        policy: Planes of moves, 1,858 moves by a layer that is fully connected, or queries of the
            squares that a move begins with and keys of those that it ends with.
        policy_channels: Channels that the classical and the attention policy are read from.
        policy_units: Size of the attention policy's queries and keys.
        policy_blocks: Encoder layers of the attention policy.
        policy_heads: Their attention heads.
        policy_width: Size of the queries of all these heads together; 0: ``policy_channels``.
        policy_ffn: Hidden units of their feed-forward networks; 0: ``policy_channels``.
        value: Win, draw and loss, or one number.
        value_channels: Channels that the value is read from.
        value_units: Its hidden units.
        moves_left: Channels that the plies left are read from; 0: it does not say them.
        moves_left_units: Their hidden units.
    """
    name = f"lc0-{channels}x{blocks}"
    check_shapes(name, input_shape, num_actions)
    body = nn.Sequential(
        ConvNorm(PLANES, channels, activation=activation),
        *(SqueezedBlock(channels, squeeze, activation) for _ in range(blocks)),
    )
    turns = input_shape[0] > PLANES
    head: nn.Module
    if policy == "convolution":
        head = ConvolutionPolicy(channels, activation)
    elif policy == "classical":
        head = ClassicalPolicy(channels, policy_channels, activation)
    else:
        sizes = (policy_channels, policy_width, policy_ffn, policy_heads)
        layers = policy_encoder(name, policy_blocks, sizes, MAP_EPSILON, "selu")
        head = AttentionPolicy(channels, policy_channels, policy_units, "selu", layers)
    scalar = BoardHead(
        channels, value_channels, value_units, 3 if value == "wdl" else 1, activation
    )
    left = BoardHead(channels, moves_left, moves_left_units, 1, activation) if moves_left else None
    network = Lc0Network(body, head, scalar, left, MoveActions(policy, turns=turns))
    return network.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def check_shapes(name: str, input_shape: tuple[int, int, int], num_actions: int) -> None:
    """Refuse a network for other planes or actions than those of lc0."""
    if input_shape not in ((PLANES, 8, 8), (PLANES + 1, 8, 8)) or num_actions != ACTIONS:
        message = (
            f"network {name!r}: made for planes {list(input_shape)} and "
            f"{num_actions:,} actions; networks of lc0 read chess by the planes lc0 or one of "
            f"their other forms, [112 or 113, 8, 8], and answer {ACTIONS:,} actions"
        )
        raise InvalidConfig(message)


class Lc0Network(nn.Module):
    """A body and its heads.

    Args:
        body: Takes 112 planes.
        policy: Answers logits in the order of its kind of policy.
        value: Answers win, draw and loss, or one number before its tanh.
        moves_left: Answers the plies that are left, if it says them.
        actions: Brings the logits into the order of actions.
    """

    def __init__(
        self,
        body: nn.Module,
        policy: nn.Module,
        value: "BoardHead",
        moves_left: "BoardHead | None",
        actions: "MoveActions",
    ) -> None:
        super().__init__()
        self.body = body
        self.policy = policy
        self.value = value
        self.moves_left = moves_left
        self.actions = actions

    def forward(self, planes: Tensor) -> NetworkOutput:
        """Answer ``float32[B, 112 or 113, 8, 8]``."""
        features = self.body(planes[:, :PLANES])
        value = self.value(features)
        is_wdl = self.value.numbers.out_features > 1
        plies = None
        if self.moves_left is not None:
            plies = (torch.relu(self.moves_left(features)).flatten() / PLIES_UNIT).clamp(max=1.0)
        return NetworkOutput(
            self.actions(self.policy(features), planes),
            wdl_logits=value if is_wdl else None,
            plies=plies,
            scalar=None if is_wdl else torch.tanh(value).flatten(),
        )


class SqueezedBlock(nn.Module):
    """Residual block whose branch is scaled and shifted, channel by channel, before it is added.

    Args:
        channels: Channels in and out.
        squeeze: Units between; 0: the branch is added as it is.
        activation: What follows the first convolution and the sum.
    """

    def __init__(self, channels: int, squeeze: int, activation: Activation) -> None:
        super().__init__()
        self.branch = nn.Sequential(
            ConvNorm(channels, channels, activation=activation),
            ConvNorm(channels, channels, activation="none"),
        )
        self.squeeze = nn.Linear(channels, squeeze) if squeeze else None
        self.excite = nn.Linear(squeeze, 2 * channels) if squeeze else None
        self.activation = activation_of(activation)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, C, 8, 8]`` in and out."""
        branch = self.branch(planes)
        if self.squeeze is not None and self.excite is not None:
            # Not in place: the activation is that of the whole network.
            means = self.activation(self.squeeze(branch.mean(dim=(2, 3))))
            scale, shift = self.excite(means)[:, :, None, None].chunk(2, dim=1)
            branch = torch.sigmoid(scale) * branch + shift
        output: Tensor = self.activation(planes + branch)
        return output


class ConvolutionPolicy(nn.Module):
    """Policy as 80 planes of moves: 3x3, batch norm, activation, 3x3 with biases.

    Args:
        channels: Channels of the tower.
        activation: What follows the first convolution.
    """

    def __init__(self, channels: int, activation: Activation) -> None:
        super().__init__()
        self.hidden = ConvNorm(channels, channels, activation=activation)
        self.moves = nn.Conv2d(channels, CONVOLUTION_PLANES, 3, padding=1)

    def forward(self, features: Tensor) -> Tensor:
        """``float32[B, C, 8, 8]`` to ``float32[B, 80 * 64]``."""
        logits: Tensor = self.moves(self.hidden(features))
        return logits.flatten(1)


class ClassicalPolicy(nn.Module):
    """Policy of 1,858 moves: 1x1, batch norm, activation, fully connected.

    Args:
        channels: Channels of the tower.
        read: Channels that it is read from.
        activation: What follows the convolution.
    """

    def __init__(self, channels: int, read: int, activation: Activation) -> None:
        super().__init__()
        self.hidden = ConvNorm(channels, read, kernel=1, activation=activation)
        self.moves = nn.Linear(read * SQUARES, len(_core.lc0_moves()[0]))

    def forward(self, features: Tensor) -> Tensor:
        """``float32[B, C, 8, 8]`` to ``float32[B, 1858]``."""
        logits: Tensor = self.moves(self.hidden(features).flatten(1))
        return logits


class AttentionPolicy(nn.Module):
    """Policy of 1,858 moves: the query of a move's first square by the key of its last one.

    A promotion adds numbers of the last square, one of each piece and one of them all.

    Args:
        channels: Channels of the tower, or size of a token.
        read: Size of a token of the policy.
        units: Size of queries and keys.
        activation: What follows the first layer.
        layers: Encoder layers after it.
    """

    columns: Tensor

    def __init__(
        self,
        channels: int,
        read: int,
        units: int,
        activation: LayerActivation,
        layers: Sequence[nn.Module] = (),
    ) -> None:
        super().__init__()
        self.hidden = nn.Linear(channels, read)
        self.activation = layer_activation(activation)
        self.layers = nn.ModuleList(layers)
        self.query, self.key = nn.Linear(read, units), nn.Linear(read, units)
        self.promotion = nn.Linear(units, 1 + len(PROMOTIONS), bias=False)
        columns = torch.tensor([_attention_column(move) for move in _core.lc0_moves()[0]])
        self.register_buffer("columns", columns, persistent=False)

    def forward(self, features: Tensor) -> Tensor:
        """``float32[B, 64, C]`` or ``float32[B, C, 8, 8]`` to ``float32[B, 1858]``."""
        tokens = features if features.dim() == 3 else features.flatten(2).transpose(1, 2)
        tokens = self.activation(self.hidden(tokens))
        for layer in self.layers:
            tokens = layer(tokens, None)
        query, key = self.query(tokens), self.key(tokens)
        pairs = query @ key.transpose(1, 2) * key.shape[2] ** -0.5
        extra = self.promotion(key[:, -8:])
        extra = extra[:, None, :, :-1] + extra[:, None, :, -1:]
        promotions = pairs[:, -16:-8, -8:, None] + extra
        return torch.cat([pairs.flatten(1), promotions.flatten(1)], dim=1)[:, self.columns]


def _attention_column(move: str) -> int:
    """Return the place of a move among the pairs of squares and the promotions after them."""
    first, last = square_of(move), square_of(move[2:])
    if len(move) == 4:
        return SQUARES * first + last
    files = 8 * (first % 8) + last % 8
    return SQUARES * SQUARES + len(PROMOTIONS) * files + PROMOTIONS.index(move[4])


class BoardHead(nn.Module):
    """A few numbers for a position: a layer for each square, and two over the whole board.

    The layer is a 1x1 convolution with batch norm, or a linear one for tokens.

    Args:
        channels: Channels of the tower, or size of a token.
        read: Channels that they are read from.
        units: Hidden units.
        numbers: How many numbers.
        activation: What follows the first layer and the hidden one.
        tokens: Whether it reads tokens.
    """

    def __init__(
        self,
        channels: int,
        read: int,
        units: int,
        numbers: int,
        activation: Activation,
        *,
        tokens: bool = False,
    ) -> None:
        super().__init__()
        self.hidden: nn.Module = (
            nn.Sequential(nn.Linear(channels, read), activation_of(activation))
            if tokens
            else ConvNorm(channels, read, kernel=1, activation=activation)
        )
        self.units = nn.Linear(read * SQUARES, units)
        self.activation = activation_of(activation)
        self.numbers = nn.Linear(units, numbers)

    def forward(self, features: Tensor) -> Tensor:
        """``float32[B, C, 8, 8]`` or ``float32[B, 64, C]`` to ``float32[B, numbers]``."""
        hidden = self.activation(self.units(self.hidden(features).flatten(1)))
        numbers: Tensor = self.numbers(hidden)
        return numbers
