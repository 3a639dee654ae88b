"""Features of planes: a small convolutional network, and the sums of every row and column."""

from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from phasezoo.errors import InvalidConfig


class PlanesExtractor(BaseFeaturesExtractor):  # type: ignore[misc]
    """Convolutions that keep the board's size, then one linear layer; a ReLU after each.

    For ``policy_kwargs=dict(features_extractor_class=PlanesExtractor)`` with ``MlpPolicy``, or
    ``MultiInputPolicy`` if observations are masked. SB3's own ``NatureCNN`` is made for pictures of
    84 by 84 pixels and refuses boards.

    Args:
        observation_space: Planes ``[C, H, W]``, or a dictionary with them as ``observation``.
        features_dim: Features of each observation.
        channels: Channels of each convolution.
        layers: Convolutions of 3 by 3 cells.

    Raises:
        InvalidConfig: The space holds no planes.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        features_dim: int = 128,
        channels: int = 32,
        layers: int = 2,
    ) -> None:
        super().__init__(observation_space, features_dim)
        planes, self._is_dict = observation_space, False
        if isinstance(observation_space, spaces.Dict):
            planes, self._is_dict = observation_space["observation"], True
        depth, height, width = _shape(planes, "PlanesExtractor", "'planes' or 'masked'")
        body: list[nn.Module] = []
        for _ in range(layers):
            body += [nn.Conv2d(depth, channels, kernel_size=3, padding=1), nn.ReLU()]
            depth = channels
        size = depth * height * width
        self.body = nn.Sequential(*body, nn.Flatten(), nn.Linear(size, features_dim), nn.ReLU())

    def forward(self, observations: Any) -> torch.Tensor:
        """``float32[B, features_dim]``."""
        planes = observations["observation"] if self._is_dict else observations
        features: torch.Tensor = self.body(planes)
        return features


class LinesExtractor(BaseFeaturesExtractor):  # type: ignore[misc]
    """The sums of every row and of every column of each plane: ``C * (H + W)`` numbers.

    Of a plane with one piece they say where it stands, in 16 numbers rather than 64 on a board of 8
    by 8 cells, and what is learned of a row holds for all its cells. Of planes with many pieces
    they lose much.

    Args:
        observation_space: Planes ``[C, H, W]``.

    Raises:
        InvalidConfig: The space holds no planes.
    """

    def __init__(self, observation_space: spaces.Space[Any]) -> None:
        depth, height, width = _shape(observation_space, "LinesExtractor", "'planes'")
        super().__init__(observation_space, depth * (height + width))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """``float32[B, features_dim]``: all rows of every plane, then all columns."""
        rows, columns = observations.sum(dim=3), observations.sum(dim=2)
        return torch.cat([rows.flatten(1), columns.flatten(1)], dim=1)


def _shape(space: spaces.Space[Any], name: str, observation: str) -> tuple[int, int, int]:
    """The shape of planes ``[C, H, W]``."""
    shape = space.shape or ()
    if len(shape) != 3:
        message = (
            f"{name}: observations have shape {list(shape)}; it needs planes [C, H, W], so make "
            f"the environments with observation={observation}"
        )
        raise InvalidConfig(message)
    depth, height, width = shape
    return depth, height, width
