"""The encoder layers of lc0's attention bodies and attention policies."""

from typing import Annotated

import torch
from annotated_types import Interval
from torch import Tensor, nn

from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.attention import LayerActivation, Smolgen, layer_activation
from phasezoo.networks.architectures.lc0_moves import SQUARES

MAP_EPSILON = 1e-6
"""Term that the layer norms after a map embedding add to a variance."""

OptionalUnits = Annotated[int, Interval(ge=0, le=4096)]
Heads = Annotated[int, Interval(ge=1, le=128)]


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
            Smolgen(channels, heads, SQUARES, smolgen, smolgen_activation) if smolgen else None
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
