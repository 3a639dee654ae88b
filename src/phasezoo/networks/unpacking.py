"""The first layer of networks that are given packed planes."""

import numpy as np
import torch
from torch import Tensor, nn

from phasezoo.games import PlaneLayout
from phasezoo.games.packed import WORD

BITS = 8
"""Bits of an octet."""


class Unpack(nn.Module):
    """Makes float planes of packed ones on the device that they are on, equal bit for bit.

    Octets are looked up in a table of their eight bits: gathering is an operation of every backend,
    shifting bits is not.

    Args:
        layout: Where the planes are (``docs/definitions/planes.md#packed-planes``).
    """

    table: Tensor
    ones: Tensor
    order: Tensor

    def __init__(self, layout: PlaneLayout) -> None:
        super().__init__()
        self.layout = layout
        kinds = [layout.planes_of(kind) for kind in "bcg"]
        self._binary, self._constant, self._general = map(len, kinds)
        table = (np.arange(1 << BITS)[:, None] >> np.arange(BITS) & 1).astype(np.float32)
        self.register_buffer("table", torch.from_numpy(table), persistent=False)
        self.register_buffer("ones", torch.ones(1, 1, layout.cells), persistent=False)
        # Where each plane is after they were made kind by kind.
        order = torch.from_numpy(np.argsort(np.concatenate(kinds)))
        self.register_buffer("order", order, persistent=False)

    def forward(self, *packed: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` of ``uint8[B, 8 * words]`` and ``float32[B, numbers]``.

        They are the octets and the numbers of packed planes; the one that has no columns is left
        out.
        """
        layout, rest = self.layout, list(packed)
        parts = []
        if self._binary:
            octets = rest.pop(0)
            bits = nn.functional.embedding(octets.int(), self.table)
            filled = layout.words_of_plane * WORD
            bits = bits.reshape(-1, self._binary, filled)
            parts.append(bits if filled == layout.cells else bits[:, :, : layout.cells])
        if self._constant:
            parts.append(rest[0][:, : self._constant, None] * self.ones)
        if self._general:
            cells = rest[0][:, self._constant :]
            parts.append(cells.reshape(-1, self._general, layout.cells))
        planes = torch.cat(parts, dim=1).index_select(1, self.order)
        return planes.reshape(-1, *layout.shape)
