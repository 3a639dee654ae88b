"""Stochastic depth (Huang et al. 2016): branches that some training positions pass by."""

import torch
from torch import Tensor, nn


class StochasticDepth(nn.Module):
    """Answers 0 for a share of the positions while training, and scales the others up for it.

    In eval mode it does nothing. Draws come from torch's generator.

    Args:
        share: Probability that a position's branch is left out, below 1.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, branch: Tensor) -> Tensor:
        """``float32[B, …]`` in and out."""
        if not self.training:
            return branch
        keep = 1 - self.share
        shape = (len(branch),) + (1,) * (branch.dim() - 1)
        kept = torch.empty(shape, dtype=branch.dtype, device=branch.device).bernoulli_(keep)
        return branch * kept / keep

    def extra_repr(self) -> str:
        """Return the text that ``repr`` shows."""
        return f"share={self.share:g}"


def stochastic_depth(share: float) -> nn.Module:
    """Return the layer for this share; none at all for 0."""
    return StochasticDepth(share) if share > 0 else nn.Identity()


def stochastic_depths(blocks: int, last: float) -> list[float]:
    """Return each block's share, rising evenly from 0 to ``last`` (Huang et al., eq. 4).

    A single block has ``last``.
    """
    return [last * i / (blocks - 1) for i in range(blocks)] if blocks > 1 else [last]
