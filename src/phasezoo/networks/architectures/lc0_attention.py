"""The transformers of lc0: a token for every square, and a policy of queries and keys.

``docs/definitions/lc0.md`` describes planes, moves and files.
"""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.attention import EPSILON, LayerActivation, layer_activation
from phasezoo.networks.architectures.lc0 import (
    ATTENTION_READ,
    ATTENTION_UNITS,
    AttentionPolicy,
    BoardHead,
    Lc0Network,
    Units,
    check_shapes,
)
from phasezoo.networks.architectures.lc0_encoder import (
    MAP_EPSILON,
    EncoderLayer,
    FeedForward,
    Heads,
    OptionalUnits,
    policy_encoder,
)
from phasezoo.networks.architectures.lc0_moves import PLANES, SQUARES, MoveActions, reach
from phasezoo.networks.architectures.sizes import Blocks, Channels

PIECE_PLANES = 12
"""Planes of the newest position's pieces, which the dense embedding mixes over the board."""


def lc0_attention(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Channels,
    blocks: Blocks,
    *,
    heads: Heads = 8,
    width: OptionalUnits = 0,
    ffn: OptionalUnits = 0,
    embedding: Literal["map", "dense"] = "map",
    embedding_units: Units = 32,
    embedding_ffn: OptionalUnits = 0,
    gates: bool = False,
    smolgen: OptionalUnits = 0,
    smolgen_read: Units = 32,
    smolgen_units: Units = 256,
    activation: Literal["relu", "mish"] = "mish",
    ffn_activation: LayerActivation = "mish",
    smolgen_activation: LayerActivation = "swish",
    policy_channels: Units = ATTENTION_READ,
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
    """Make a transformer of lc0.

    Args:
        input_shape: ``(112, 8, 8)``, or ``(113, 8, 8)`` of a canonical form.
        num_actions: The 4,672 of chess.
        channels: Size of a token.
        blocks: Encoder layers.
        heads: Attention heads.
        width: Size of the queries of all heads together, a multiple of ``heads``; 0: ``channels``.
        ffn: Hidden units of a layer's feed-forward network; 0: ``channels``.
        embedding: What a token reads besides its square's planes: the squares that a queen or a
            knight reaches from it, or a layer over the pieces of the whole board.
        embedding_units: What that layer gives each square.
        embedding_ffn: Hidden units after the dense embedding; 0: ``channels``.
        gates: Whether the embedding is scaled and shifted square by square.
        smolgen: Size from which each head's weights of attention are generated; 0: they are not.
        smolgen_read: Numbers of each square that these are generated from.
        smolgen_units: Hidden units in between.
        activation: What follows the embeddings and the hidden layers of the heads.
        ffn_activation: Activation of the feed-forward networks.
        smolgen_activation: Activation of the layers that generate weights of attention.
        policy_channels: Size of a token of the policy.
        policy_units: Size of its queries and keys.
        policy_blocks: Encoder layers of its own.
        policy_heads: Their attention heads.
        policy_width: Size of the queries of all these heads together; 0: ``policy_channels``.
        policy_ffn: Hidden units of their feed-forward networks; 0: ``policy_channels``.
        value: Win, draw and loss, or one number.
        value_channels: Numbers of each square that the value is read from.
        value_units: Its hidden units.
        moves_left: Numbers of each square that the plies left are read from; 0: no such head.
        moves_left_units: Their hidden units.
    """
    name = f"lc0-attention-{channels}x{blocks}"
    check_shapes(name, input_shape, num_actions)
    width = width or channels
    if width % heads:
        message = f"network {name!r}: heads={heads} do not divide the width {width}"
        raise InvalidConfig(message)
    embed = (
        MapEmbedding(channels, activation, gates=gates)
        if embedding == "map"
        else DenseEmbedding(
            channels, embedding_units, embedding_ffn or channels,
            (activation, ffn_activation), alpha_of(blocks), gates=gates,
        )
    )  # fmt: skip
    epsilon = MAP_EPSILON if embedding == "map" else EPSILON
    generated = (smolgen_read, smolgen_units, smolgen) if smolgen else None
    layers = [
        EncoderLayer(
            channels, width, heads, ffn or channels, alpha_of(blocks), epsilon,
            ffn_activation, generated, smolgen_activation,
        )
        for _ in range(blocks)
    ]  # fmt: skip
    sizes = (policy_channels, policy_width, policy_ffn, policy_heads)
    own_layers = policy_encoder(name, policy_blocks, sizes, epsilon, ffn_activation)
    numbers = 3 if value == "wdl" else 1
    left = None
    if moves_left:
        left = BoardHead(channels, moves_left, moves_left_units, 1, activation, tokens=True)
    return Lc0Network(
        AttentionBody(embed, layers, smolgen),
        AttentionPolicy(channels, policy_channels, policy_units, activation, own_layers),
        BoardHead(channels, value_channels, value_units, numbers, activation, tokens=True),
        left,
        MoveActions("attention", turns=input_shape[0] > PLANES),
    )


def alpha_of(layers: int) -> float:
    """Return the weight of a branch beside its input (DeepNorm, Wang et al. 2022, as in lc0)."""
    return float((2 * layers) ** -0.25)


class AttentionBody(nn.Module):
    """Planes to tokens, and the encoder layers.

    Args:
        embed: Planes to tokens.
        layers: The encoder layers.
        smolgen: Size from which weights of attention are generated; 0: they are not.
    """

    def __init__(self, embed: nn.Module, layers: Sequence[nn.Module], smolgen: int) -> None:
        super().__init__()
        self.embed = embed
        self.generate = nn.Linear(smolgen, SQUARES * SQUARES, bias=False) if smolgen else None
        self.layers = nn.ModuleList(layers)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, 112, 8, 8]`` to ``float32[B, 64, C]``."""
        tokens: Tensor = self.embed(planes.flatten(2).transpose(1, 2))
        for layer in self.layers:
            tokens = layer(tokens, self.generate)
        return tokens


class MapEmbedding(nn.Module):
    """A square's planes and the squares in reach of it, in one layer.

    Args:
        channels: Size of a token.
        activation: What follows the layer.
        gates: Whether tokens are scaled and shifted square by square.
    """

    positions: Tensor

    def __init__(self, channels: int, activation: LayerActivation, *, gates: bool) -> None:
        super().__init__()
        self.layer = nn.Linear(PLANES + SQUARES, channels)
        self.activation = layer_activation(activation)
        self.gates = Gates(channels) if gates else nn.Identity()
        self.register_buffer("positions", reach(), persistent=False)

    def forward(self, squares: Tensor) -> Tensor:
        """``float32[B, 64, 112]`` to ``float32[B, 64, C]``."""
        positions = self.positions.to(squares.dtype).expand(squares.shape[0], -1, -1)
        tokens = self.activation(self.layer(torch.cat([squares, positions], dim=2)))
        output: Tensor = self.gates(tokens)
        return output


class DenseEmbedding(nn.Module):
    """A square's planes and what a layer over all pieces gives it, and a feed-forward network.

    Args:
        channels: Size of a token.
        units: What the layer over the board gives each square.
        ffn: Hidden units of the feed-forward network.
        activations: That of the embedding, and that of the feed-forward network.
        alpha: Weight of the feed-forward network beside its input.
        gates: Whether tokens are scaled and shifted square by square.
    """

    def __init__(
        self,
        channels: int,
        units: int,
        ffn: int,
        activations: tuple[LayerActivation, LayerActivation],
        alpha: float,
        *,
        gates: bool,
    ) -> None:
        super().__init__()
        self.alpha = alpha
        self.board = nn.Linear(PIECE_PLANES * SQUARES, SQUARES * units)
        self.layer = nn.Linear(PLANES + units, channels)
        self.activation = layer_activation(activations[0])
        self.norm = nn.LayerNorm(channels, eps=EPSILON)
        self.gates = Gates(channels) if gates else nn.Identity()
        self.ffn = FeedForward(channels, ffn, activations[1])
        self.ffn_norm = nn.LayerNorm(channels, eps=EPSILON)

    def forward(self, squares: Tensor) -> Tensor:
        """``float32[B, 64, 112]`` to ``float32[B, 64, C]``."""
        board = self.board(squares[:, :, :PIECE_PLANES].flatten(1))
        board = board.reshape(-1, SQUARES, board.shape[1] // SQUARES)
        tokens = self.activation(self.layer(torch.cat([squares, board], dim=2)))
        tokens = self.gates(self.norm(tokens))
        output: Tensor = self.ffn_norm(tokens + self.alpha * self.ffn(tokens))
        return output


class Gates(nn.Module):
    """A scale and a shift for every number of every square.

    Args:
        channels: Size of a token.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(channels, SQUARES))
        self.shift = nn.Parameter(torch.zeros(channels, SQUARES))

    def forward(self, tokens: Tensor) -> Tensor:
        """``float32[B, 64, C]`` in and out."""
        return tokens * self.scale.T + self.shift.T
