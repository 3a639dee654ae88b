"""A network: a body with a policy head and a value head."""

from collections.abc import Sequence

from torch import Tensor, nn

from phasezoo.networks.blocks import ConvNorm
from phasezoo.networks.heads import NetworkOutput, PolicyHead, ValueHead

__all__ = ["Network", "parameter_counts"]


class Network(nn.Module):
    """A 3x3 stem, a tower of blocks, and the two heads.

    Args:
        input_shape: Channels, height and width of the input planes.
        channels: Channels of the tower.
        blocks: The tower, each with ``channels`` in and out.
        policy_planes: Planes of moves; the policy has ``policy_planes * height * width`` logits.
        value_channels: Channels between the tower and the value head's answers.
    """

    def __init__(
        self,
        input_shape: tuple[int, int, int],
        channels: int,
        blocks: Sequence[nn.Module],
        policy_planes: int,
        value_channels: int,
    ) -> None:
        super().__init__()
        inputs, height, width = input_shape
        self.body = nn.Sequential(ConvNorm(inputs, channels), *blocks)
        self.policy = PolicyHead(channels, policy_planes)
        self.value = ValueHead(channels, height * width, value_channels)

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
