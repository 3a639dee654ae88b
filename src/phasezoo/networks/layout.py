"""How a network's planes lie in memory."""

import torch
from torch import nn

__all__ = ["layout_of"]


def layout_of(network: nn.Module) -> torch.memory_format:
    """Channels last if the network's convolutions are so, as those of the package; else as usual.

    A network of a user's own may rely on the usual layout: ``planes.view(len(planes), -1)``.
    """
    last = any(
        weight.ndim == 4
        and weight.is_contiguous(memory_format=torch.channels_last)
        and not weight.is_contiguous()
        for weight in network.parameters()
    )
    return torch.channels_last if last else torch.contiguous_format
