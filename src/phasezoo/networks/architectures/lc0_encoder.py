"""The encoder layers of lc0's attention bodies and attention policies."""

from typing import Annotated, Literal, TypeAlias

import torch
from annotated_types import Interval
from torch import Tensor, nn
from torch.nn import functional

from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.lc0_moves import SQUARES

EPSILON, MAP_EPSILON = 1e-3, 1e-6
"""Term that layer norms add to a variance, and that of the layers after the map embedding."""

OptionalUnits = Annotated[int, Interval(ge=0, le=4096)]
Heads = Annotated[int, Interval(ge=1, le=128)]

LayerActivation: TypeAlias = Literal["relu", "mish", "selu", "swish", "relu2"]
"""Activation of a fully connected layer; ``relu2`` is the square of ReLU."""


def policy_encoder(
    name: str,
    blocks: int,
    sizes: tuple[int, int, int, int],
    epsilon: float,
    activation: LayerActivation,
) -> list[nn.Module]:
    """Return the encoder layers of a policy; their branches count as much as their input."""
    channels, width, ffn, heads = sizes[0], sizes[1] or sizes[0], sizes[2] or sizes[0], sizes[3]
    if blocks and width % heads:
        message = f"network {name!r}: policy_heads={heads} do not divide the width {width}"
        raise InvalidConfig(message)
    return [
        EncoderLayer(channels, width, heads, ffn, 1.0, epsilon, activation, None, "swish")
        for _ in range(blocks)
    ]


class EncoderLayer(nn.Module):
    """Attention and a feed-forward network, each added to its input and then normalized.

    Args:
        channels: Size of a token.
        width: Size of the queries of all heads together.
        heads: Attention heads.
        ffn: Hidden units of the feed-forward network.
        alpha: Weight of a branch beside its input.
        epsilon: Term that the norms add to a variance.
        ffn_activation: Activation of the feed-forward network.
        smolgen: Numbers of each square, hidden units and numbers of each head from which weights of
            attention are generated, if they are.
        smolgen_activation: Activation of the layers that generate them.
    """

    def __init__(
        self,
        channels: int,
        width: int,
        heads: int,
        ffn: int,
        alpha: float,
        epsilon: float,
        ffn_activation: LayerActivation,
        smolgen: tuple[int, int, int] | None,
        smolgen_activation: LayerActivation,
    ) -> None:
        super().__init__()
        self.heads, self.alpha = heads, alpha
        self.query, self.key = nn.Linear(channels, width), nn.Linear(channels, width)
        self.mix, self.out = nn.Linear(channels, width), nn.Linear(width, channels)
        self.smolgen = (
            Smolgen(channels, heads, smolgen, smolgen_activation) if smolgen else None
        )  # fmt: skip
        self.norm = nn.LayerNorm(channels, eps=epsilon)
        self.ffn = FeedForward(channels, ffn, ffn_activation)
        self.ffn_norm = nn.LayerNorm(channels, eps=epsilon)

    def forward(self, tokens: Tensor, generate: nn.Module | None) -> Tensor:
        """``float32[B, 64, C]`` in and out; ``generate`` makes weights of 64 x 64."""
        query, key, value = (
            layer(tokens).unflatten(2, (self.heads, -1)).transpose(1, 2)
            for layer in (self.query, self.key, self.mix)
        )
        weights = query @ key.transpose(2, 3) * query.shape[-1] ** -0.5
        if self.smolgen is not None and generate is not None:
            generated = generate(self.smolgen(tokens))
            weights = weights + generated.reshape(-1, self.heads, SQUARES, SQUARES)
        gathered = (torch.softmax(weights, dim=3) @ value).transpose(1, 2).flatten(2)
        tokens = self.norm(tokens + self.alpha * self.out(gathered))
        output: Tensor = self.ffn_norm(tokens + self.alpha * self.ffn(tokens))
        return output


class FeedForward(nn.Module):
    """Two layers and an activation between.

    Args:
        channels: Size of a token.
        units: Hidden units.
        activation: What is between.
    """

    def __init__(self, channels: int, units: int, activation: LayerActivation) -> None:
        super().__init__()
        self.units = nn.Linear(channels, units)
        self.activation = layer_activation(activation)
        self.out = nn.Linear(units, channels)

    def forward(self, tokens: Tensor) -> Tensor:
        """``float32[B, 64, C]`` in and out."""
        output: Tensor = self.out(self.activation(self.units(tokens)))
        return output


class Smolgen(nn.Module):
    """Numbers of each head, from the whole board, that weights of attention are generated from.

    Args:
        channels: Size of a token.
        heads: Attention heads.
        sizes: Numbers of each square, hidden units, and numbers of each head.
        activation: What follows both layers.
    """

    def __init__(
        self, channels: int, heads: int, sizes: tuple[int, int, int], activation: LayerActivation
    ) -> None:
        super().__init__()
        read, units, generated = sizes
        self.heads = heads
        self.read = nn.Linear(channels, read, bias=False)
        self.units = nn.Linear(SQUARES * read, units)
        self.units_norm = nn.LayerNorm(units, eps=EPSILON)
        self.out = nn.Linear(units, heads * generated)
        self.out_norm = nn.LayerNorm(heads * generated, eps=EPSILON)
        self.activation = layer_activation(activation)

    def forward(self, tokens: Tensor) -> Tensor:
        """``float32[B, 64, C]`` to ``float32[B, heads, generated]``."""
        board = self.read(tokens).flatten(1)
        units = self.units_norm(self.activation(self.units(board)))
        numbers = self.out_norm(self.activation(self.out(units)))
        output: Tensor = numbers.reshape(-1, self.heads, numbers.shape[1] // self.heads)
        return output


class _SquaredReLU(nn.Module):
    """The square of ReLU (So et al. 2021)."""

    def forward(self, values: Tensor) -> Tensor:
        return functional.relu(values).square()


def layer_activation(kind: LayerActivation) -> nn.Module:
    """Return the layer of ``kind``."""
    kinds: dict[LayerActivation, type[nn.Module]] = {
        "relu": nn.ReLU, "mish": nn.Mish, "selu": nn.SELU, "swish": nn.SiLU, "relu2": _SquaredReLU,
    }  # fmt: skip
    return kinds[kind]()
