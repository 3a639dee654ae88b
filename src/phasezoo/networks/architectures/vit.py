"""The vision transformer (Dosovitskiy et al. 2021), with squares for patches or larger ones."""

from typing import Annotated, Unpack

import torch
from annotated_types import Interval
from torch import Tensor, nn

from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.attention import HEAD, SelfAttention, Smolgen
from phasezoo.networks.architectures.sizes import MAX_CHANNELS, Blocks, Share
from phasezoo.networks.depth import stochastic_depth, stochastic_depths
from phasezoo.networks.heads import MapHeadOptions, VectorHeadOptions, heads
from phasezoo.networks.network import VectorNetwork
from phasezoo.networks.output import NetworkOutput

MLP_RATIO = 4

VALUE_CHANNELS = 8

INITIAL_POSITION = 0.02
"""Standard deviation of the new weights that say where a token is (Dosovitskiy et al. 2021)."""

SQUARE_NUMBERS = 32
"""Numbers of each square that a geometric bias is generated from (Monroe et al. 2026)."""

Width = Annotated[int, Interval(ge=HEAD, le=MAX_CHANNELS)]
"""Size of a token, a multiple of 32."""


def vit(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Width,
    blocks: Blocks,
    *,
    geometric_bias: Annotated[int, Interval(ge=0, le=1024)] = 0,
    drop: Share = 0.0,
    dropout: Share = 0.0,
    **options: Unpack[MapHeadOptions],
) -> nn.Module:
    """Make a transformer with a token for every square.

    Its weights are of one size of board, whatever ``pool`` says.

    Args:
        input_shape: Channels, height and width of the input planes.
        num_actions: Size of the policy.
        channels: Size of a token, a multiple of 32: a head for each 32.
        blocks: Layers.
        geometric_bias: Numbers of each head, made from all squares, that a bias of its attention is
            generated from (Monroe et al. 2026, "Chessformer", which has 64 to 256); 0: no bias.
        drop: Stochastic depth of the last layer.
        dropout: Share of activations and attention weights left out while training.
        **options: What the heads are.
    """
    shares = _shares(channels, blocks, drop)
    encoder = _Encoder(input_shape, channels, (1, 1), shares, dropout, geometric=geometric_bias)
    return SquareTransformer(encoder, input_shape[1:], channels, num_actions, options)


def patchvit(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: Width,
    blocks: Blocks,
    *,
    patch: Annotated[int, Interval(ge=1, le=64)] = 8,
    drop: Share = 0.0,
    dropout: Share = 0.1,
    **options: Unpack[VectorHeadOptions],
) -> nn.Module:
    """Make a transformer whose tokens are large patches and one more that both heads read.

    The AlphaVile paper's is ``patchvit-256x12:policy=flat``, with a single patch on chess's board:
    nothing in it mixes squares but the first layer, so it says little of transformers.

    Args:
        input_shape: Channels, height and width of the input planes.
        num_actions: Size of the policy.
        channels: Size of a token, a multiple of 32: a head for each 32.
        blocks: Layers.
        patch: Height and width of a patch; both of the board's must be multiples of it.
        drop: Stochastic depth of the last layer.
        dropout: Share of activations and attention weights left out while training.
        **options: What the heads are.
    """
    _, height, width = input_shape
    if height % patch or width % patch:
        message = f"patch={patch}: a board of {height} x {width} is not made of such patches"
        raise InvalidConfig(message)
    shares = _shares(channels, blocks, drop)
    encoder = _Encoder(input_shape, channels, (patch, patch), shares, dropout, extra=1)
    body = nn.Sequential(encoder, _First())
    return VectorNetwork(body, channels, (height, width), num_actions, options)


def _shares(channels: int, blocks: int, drop: float) -> list[float]:
    if channels % HEAD:
        message = f"channels={channels}: a transformer needs a multiple of {HEAD}"
        raise InvalidConfig(message)
    return stochastic_depths(blocks, drop)


class _Encoder(nn.Module):
    """Planes to tokens, and the layers."""

    def __init__(
        self,
        input_shape: tuple[int, int, int],
        width: int,
        patch: tuple[int, int],
        shares: list[float],
        dropout: float,
        extra: int = 0,
        geometric: int = 0,
    ) -> None:
        super().__init__()
        planes, rows, columns = input_shape
        count = (rows // patch[0]) * (columns // patch[1])
        self.embed = nn.Conv2d(planes, width, patch, stride=patch)
        self.extra = nn.Parameter(torch.zeros(1, extra, width)) if extra else None
        self.positions = nn.Parameter(INITIAL_POSITION * torch.randn(1, count + extra, width))
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        self.layers = nn.ModuleList(
            TransformerLayer(width, share, dropout, (count + extra, geometric)) for share in shares
        )
        self.generate = (
            nn.Linear(geometric, (count + extra) ** 2, bias=False) if geometric else None
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, planes: Tensor) -> Tensor:
        tokens = self.embed(planes).flatten(2).transpose(1, 2)
        if self.extra is not None:
            tokens = torch.cat([self.extra.expand(tokens.shape[0], -1, -1), tokens], dim=1)
        tokens = self.dropout(tokens + self.positions)
        for layer in self.layers:
            tokens = layer(tokens, self.generate)
        output: Tensor = self.norm(tokens)
        return output


class TransformerLayer(nn.Module):
    """Attention and an MLP with GELU, each behind a layer norm and added to its input.

    Args:
        width: Size of a token, a multiple of 32.
        drop: Share of the training positions that pass a branch by.
        dropout: Share of activations and attention weights left out while training.
        geometric: Tokens, and numbers of each head that a bias of its attention is generated from,
            0 if it has none.
    """

    def __init__(
        self, width: int, drop: float, dropout: float, geometric: tuple[int, int] = (0, 0)
    ) -> None:
        super().__init__()
        hidden = MLP_RATIO * width
        count, numbers = geometric
        self.attention = nn.Sequential(nn.LayerNorm(width), SelfAttention(width, dropout))
        self.bias = (
            Smolgen(width, width // HEAD, count, (SQUARE_NUMBERS, numbers, numbers), "swish")
            if numbers
            else None
        )
        layers = [nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width)]
        if dropout:
            layers = [*layers[:2], nn.Dropout(dropout), layers[2], nn.Dropout(dropout)]
        self.mlp = nn.Sequential(nn.LayerNorm(width), *layers)
        self.drop = stochastic_depth(drop)

    def forward(self, tokens: Tensor, generate: nn.Module | None = None) -> Tensor:
        """``float32[B, N, width]`` in and out; ``generate`` makes a bias of N x N."""
        norm, attention = self.attention
        read = norm(tokens)
        bias = None
        if self.bias is not None and generate is not None:
            bias = generate(self.bias(read)).unflatten(2, (tokens.shape[1], -1))
        tokens = tokens + self.drop(attention(read, bias))
        output: Tensor = tokens + self.drop(self.mlp(tokens))
        return output


class SquareTransformer(nn.Module):
    """A token for every square; the heads read them as a map.

    Args:
        encoder: Planes to tokens.
        board: Height and width.
        width: Size of a token.
        num_actions: Size of the policy.
        options: What the heads are.
    """

    def __init__(
        self,
        encoder: nn.Module,
        board: tuple[int, int],
        width: int,
        num_actions: int,
        options: MapHeadOptions,
    ) -> None:
        super().__init__()
        self.body = encoder
        self.policy, self.value = heads(width, board, num_actions, VALUE_CHANNELS, options=options)

    def forward(self, planes: Tensor) -> NetworkOutput:
        """Answer ``float32[B, C, H, W]``."""
        features = self.body(planes).transpose(1, 2).unflatten(2, planes.shape[2:])
        value = self.value(features)
        return NetworkOutput(self.policy(features), *value)


class _First(nn.Module):
    """The first token."""

    def forward(self, tokens: Tensor) -> Tensor:
        return tokens[:, 0]
