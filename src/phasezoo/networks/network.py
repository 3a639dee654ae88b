"""A network: a body with a policy head and a value head."""

from collections.abc import Sequence

from torch import Tensor, nn

from phasezoo.networks.blocks import Activation, ConvNorm
from phasezoo.networks.heads import FlatPolicyHead, NetworkOutput, PolicyHead, ValueHead

__all__ = ["Network", "parameter_counts"]


class Network(nn.Module):
    """A 3x3 stem, a tower of blocks, and the two heads.

    Args:
        input_shape: Channels, height and width of the input planes.
        channels: Channels of the tower.
        blocks: The tower, each with ``channels`` in and out.
        num_actions: Size of the policy: planes of moves if it is a multiple of height times
            width, else read by a layer that is fully connected.
        value_channels: Channels between the tower and the value head's answers.
        activation: What follows the stem and the heads' convolutions.
    """

    def __init__(
        self,
        input_shape: tuple[int, int, int],
        channels: int,
        blocks: Sequence[nn.Module],
        num_actions: int,
        value_channels: int,
        activation: Activation = "relu",
    ) -> None:
        super().__init__()
        inputs, height, width = input_shape
        squares = height * width
        planes, rest = divmod(num_actions, squares)
        self.body = nn.Sequential(ConvNorm(inputs, channels, activation=activation), *blocks)
        self.policy = (
            FlatPolicyHead(channels, squares, num_actions, activation)
            if rest
            else PolicyHead(channels, planes, activation)
        )
        self.value = ValueHead(channels, squares, value_channels, activation)

    def forward(self, planes: Tensor) -> NetworkOutput:
        """Answer ``float32[B, C, H, W]``."""
        features = self.body(planes)
        wdl_logits, plies = self.value(features)
        return NetworkOutput(self.policy(features), wdl_logits, plies)


def parameter_counts(network: nn.Module) -> dict[str, int]:
    """Count what training adjusts: ``body``, ``policy``, ``value`` and ``total``."""
    counts = {
        name: sum(parameter.numel() for parameter in part.parameters())
        for name, part in network.named_children()
    }
    return {**counts, "total": sum(counts.values())}
