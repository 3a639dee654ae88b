"""Networks by name: ``family-CHANNELSxBLOCKS``, such as ``rise-32x4``."""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from phasezoo.errors import InvalidConfig
from phasezoo.networks.blocks import Activation
from phasezoo.networks.network import Network
from phasezoo.networks.resnet import resnet_tower
from phasezoo.networks.rise import rise_plan, rise_tower, risev2_plan, risex4_tower

__all__ = ["GRAMMAR", "Architecture", "make"]

MAX_CHANNELS = 1024
MAX_BLOCKS = 100


@dataclass(frozen=True)
class _Family:
    tower: Callable[[int, int], list[nn.Module]]
    value_channels: int
    activation: Activation = "relu"
    min_channels: int = 8


_FAMILIES = {
    "rise": _Family(lambda c, n: rise_tower(c, rise_plan(c, n)), value_channels=8),
    "risev2": _Family(lambda c, n: rise_tower(c, risev2_plan(c, n)), value_channels=8),
    "resnet": _Family(resnet_tower, value_channels=4),
    "risex4": _Family(risex4_tower, value_channels=1, activation="leaky", min_channels=1),
}

GRAMMAR = (
    f"family-CHANNELSxBLOCKS with a family of {', '.join(_FAMILIES)}, 8 to {MAX_CHANNELS} channels "
    f"(risex4: from 1) and 1 to {MAX_BLOCKS} blocks, such as rise-32x4, rise-256x15 (as published) "
    "or risex4-1x2 (as published)"
)
"""What a network's name looks like."""


@dataclass(frozen=True)
class Architecture:
    """All that is needed to build a network, apart from its weights.

    Raises:
        InvalidConfig: The name does not follow :data:`GRAMMAR`, or a size is less than 1.
    """

    name: str
    """Family and size (see :data:`GRAMMAR`)."""
    input_shape: tuple[int, int, int] = (52, 8, 8)
    """Channels, height and width of the input planes; chess's ``v2`` by default."""
    num_actions: int = 4672
    """Size A of the policy; chess's by default. If it is a multiple of height times width, the
    policy is planes of moves, else it is read by a layer that is fully connected."""

    def __post_init__(self) -> None:
        _parse(self.name)
        channels, height, width = self.input_shape
        if min(channels, height, width) < 1:
            message = f"input_shape={self.input_shape}: each of its three sizes must be 1 or more"
            raise InvalidConfig(message)
        if self.num_actions < 1:
            message = f"num_actions={self.num_actions}: a policy needs 1 or more"
            raise InvalidConfig(message)

    def build(self) -> Network:
        """Make the network, in memory format ``channels_last``; torch's generator draws weights."""
        family, channels, blocks = _parse(self.name)
        network = Network(
            self.input_shape,
            channels,
            family.tower(channels, blocks),
            self.num_actions,
            family.value_channels,
            family.activation,
        )
        # Measured on a CPU: 1.4 times as many training positions a second as channels first.
        return network.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def make(
    name: str,
    input_shape: tuple[int, int, int] = (52, 8, 8),
    num_actions: int = 4672,
    seed: int = 0,
) -> Network:
    """Make a network with PyTorch's default initial weights, drawn from ``seed`` alone.

    Args:
        name: Family and size (see :data:`GRAMMAR`).
        input_shape: Channels, height and width of the input planes.
        num_actions: Size of the policy.
        seed: The same seed gives the same weights, whatever else torch has drawn.

    Raises:
        InvalidConfig: The name does not follow :data:`GRAMMAR`, or the sizes do not fit.
    """
    architecture = Architecture(name, input_shape, num_actions)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return architecture.build()


def _parse(name: str) -> tuple[_Family, int, int]:
    """Family, channels and blocks of ``name``."""
    match = re.fullmatch(r"([a-z0-9]+)-([1-9][0-9]{0,4})x([1-9][0-9]{0,3})", name)
    if match is None or match[1] not in _FAMILIES:
        given = name.split("-", maxsplit=1)[0].lower()
        close = difflib.get_close_matches(given, _FAMILIES, n=1)
        hint = f"; did you mean {close[0]}?" if close and close[0] != given else ""
        message = f"network {name!r}: expected {GRAMMAR}{hint}"
        raise InvalidConfig(message)
    family, channels, blocks = _FAMILIES[match[1]], int(match[2]), int(match[3])
    if not family.min_channels <= channels <= MAX_CHANNELS or not 1 <= blocks <= MAX_BLOCKS:
        message = f"network {name!r}: {channels} channels and {blocks} blocks; expected {GRAMMAR}"
        raise InvalidConfig(message)
    return family, channels, blocks
