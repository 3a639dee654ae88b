"""How large a network is: parameters, and multiply-adds for one position."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from phasezoo.networks.making import make
from phasezoo.networks.registry import Factory
from phasezoo.networks.specs import NetworkSpec


@dataclass(frozen=True)
class NetworkSize:
    """How large a network is."""

    parameters: int
    """Numbers that training adjusts."""
    multiply_adds: int
    """Multiplications, each with its addition, that one position takes in convolutions, linear
    layers and attention; norms, activations and sums are not counted."""


def count(
    network: nn.Module | str | Factory | NetworkSpec,
    input_shape: tuple[int, int, int] = (52, 8, 8),
    num_actions: int = 4672,
    *,
    num_players: int = 2,
) -> NetworkSize:
    """Count a network's parameters and what one position costs it.

    Args:
        network: The network, or what :func:`make` makes it from.
        input_shape: Channels, height and width of the input planes.
        num_actions: Size of the policy.
        num_players: How many play.

    Raises:
        InvalidConfig: There is no such network, or it does not fit.
    """
    if not isinstance(network, nn.Module):
        network = make(network, input_shape, num_actions, num_players=num_players)
    training = network.training
    place = next(network.parameters(), torch.empty(0))
    planes = torch.zeros(1, *input_shape, device=place.device, dtype=place.dtype)
    network.eval()
    try:
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            network(planes)
    finally:
        network.train(training)
    return NetworkSize(
        parameters=sum(parameter.numel() for parameter in network.parameters()),
        multiply_adds=counter.get_total_flops() // 2,
    )
