"""Self-attention over the squares of a board (Vaswani et al. 2017), in three published forms."""

from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional

from phasezoo.networks.blocks import ConvNorm, folded_before

HEAD = 32
"""Size of a head's queries and keys in every architecture."""

LEVIT_VALUES = 64
"""Size of a head's values in LeViT: twice that of the keys (Graham et al. 2021)."""

EPSILON = 1e-3
"""Term that the layer norms of lc0 add to a variance."""

LayerActivation: TypeAlias = Literal["relu", "mish", "selu", "swish", "relu2"]
"""Activation of a fully connected layer; ``relu2`` is the square of ReLU."""


class SelfAttention(nn.Module):
    """Heads of 32, with linear layers that have biases; no mask and no positions.

    Args:
        width: Size of a token, a multiple of 32.
        dropout: Share of the attention weights that is left out while training.
    """

    def __init__(self, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = width // HEAD
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.mix, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()

    def forward(self, tokens: Tensor, bias: Tensor | None = None) -> Tensor:
        """``float32[B, N, width]`` in and out; ``bias`` is ``float32[B, heads, N, N]``."""
        query, key, value = (
            layer(tokens).unflatten(2, (self.heads, HEAD)).transpose(1, 2)
            for layer in (self.query, self.key, self.mix)
        )
        scores = query @ key.transpose(2, 3) * HEAD**-0.5
        if bias is not None:
            scores = scores + bias
        gathered: Tensor = self.dropout(torch.softmax(scores, dim=3)) @ value
        output: Tensor = self.out(gathered.transpose(1, 2).flatten(2))
        return output


class MapAttention(nn.Module):
    """Batch norm and :class:`SelfAttention` over all squares of a map (Next-ViT).

    Args:
        channels: Channels in and out, a multiple of 32.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm: nn.Module = nn.BatchNorm2d(channels)
        self.attention = SelfAttention(channels)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` in and out."""
        tokens = self.norm(planes).flatten(2).transpose(1, 2)
        mixed: Tensor = self.attention(tokens)
        return mixed.transpose(1, 2).reshape(planes.shape)

    def fold(self) -> None:
        """Put the batch norm's running statistics into the linear layers; for inference only."""
        if isinstance(self.norm, nn.BatchNorm2d):
            part = self.attention
            for layer in (part.query, part.key, part.mix):
                folded_before(layer, self.norm)
            self.norm = nn.Identity()


class LevitAttention(nn.Module):
    """Attention of LeViT (Graham et al. 2021): learned biases by distance, hard swish, batch norms.

    Args:
        channels: Channels in and out, a multiple of 64.
        height: Height of the board.
        width: Its width.
    """

    offsets: Tensor

    def __init__(self, channels: int, height: int, width: int) -> None:
        super().__init__()
        self.heads = channels // LEVIT_VALUES
        self.split = [HEAD, HEAD, LEVIT_VALUES]
        self.project = ConvNorm(channels, self.heads * sum(self.split), 1, activation="none")
        self.out = nn.Sequential(
            nn.Hardswish(), ConvNorm(self.heads * LEVIT_VALUES, channels, 1, activation="none")
        )
        self.biases = nn.Parameter(torch.zeros(self.heads, height * width))
        row, column = (
            t.flatten()
            for t in torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        )
        down, across = (row[:, None] - row).abs(), (column[:, None] - column).abs()
        self.register_buffer("offsets", down * width + across, persistent=False)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` in and out."""
        tokens = self.project(planes).flatten(2).unflatten(1, (self.heads, sum(self.split)))
        query, key, value = tokens.split(self.split, dim=2)
        scores = query.transpose(2, 3) @ key * HEAD**-0.5 + self.biases[:, self.offsets]
        mixed = value @ torch.softmax(scores, dim=3).transpose(2, 3)
        output: Tensor = self.out(mixed.flatten(1, 2).unflatten(2, planes.shape[2:]))
        return output


class Smolgen(nn.Module):
    """Numbers of each head, from the whole board, that a bias of its attention is generated from.

    The geometric attention bias (Monroe et al. 2026, "Chessformer"), which lc0 calls smolgen: one
    linear layer, the same for all heads and layers, makes N x N biases of each head's numbers.

    Args:
        channels: Size of a token.
        heads: Attention heads.
        squares: Squares of the board, N.
        sizes: Numbers of each square, hidden units, and numbers of each head.
        activation: What follows both layers.
    """

    def __init__(
        self,
        channels: int,
        heads: int,
        squares: int,
        sizes: tuple[int, int, int],
        activation: LayerActivation,
    ) -> None:
        super().__init__()
        read, units, generated = sizes
        self.heads = heads
        self.read = nn.Linear(channels, read, bias=False)
        self.units = nn.Linear(squares * read, units)
        self.units_norm = nn.LayerNorm(units, eps=EPSILON)
        self.out = nn.Linear(units, heads * generated)
        self.out_norm = nn.LayerNorm(heads * generated, eps=EPSILON)
        self.activation = layer_activation(activation)

    def forward(self, tokens: Tensor) -> Tensor:
        """``float32[B, N, C]`` to ``float32[B, heads, generated]``."""
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
