"""A policy of MaskablePPO that sees every position turned the same way up."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor
from torch import nn

from phasezoo.errors import InvalidConfig
from phasezoo.games.symmetries import SYMMETRIES, turned_square
from phasezoo.integrations.sb3.features import LinesExtractor


class TurnedFeatures(BaseFeaturesExtractor):  # type: ignore[misc]
    """Turns planes, then makes features of them; by which symmetry is handed on behind these.

    Of the images of a position that one is taken whose last plane has its pieces nearest to the
    first cell; of equal ones the plane before decides, and so on. So all images become one.
    """

    _cells: torch.Tensor
    _worths: torch.Tensor

    def __init__(
        self,
        observation_space: spaces.Box,
        kind: Callable[..., BaseFeaturesExtractor],
        options: dict[str, Any],
    ) -> None:
        inner = kind(observation_space, **options)
        super().__init__(observation_space, inner.features_dim + 1)
        self.inner = inner
        size = observation_space.shape[1]
        cells = np.arange(size * size).reshape(size, size)
        images = np.stack(
            [turned_square(cells, symmetry).ravel() for symmetry in range(SYMMETRIES)]
        )
        # Whole numbers whose sums are exact; they fall from cell to cell, and sums seldom agree.
        worth = (size * size - np.arange(size * size)) ** 3
        self.register_buffer("_cells", torch.from_numpy(images), persistent=False)
        worths = torch.from_numpy(worth[np.argsort(images, axis=1)]).double()
        self.register_buffer("_worths", worths.T.contiguous(), persistent=False)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """``float32[B, features_dim]``."""
        symmetries = self.symmetries(planes)
        flat = planes.flatten(2)
        cells = self._cells[symmetries].unsqueeze(1).expand_as(flat)
        turned = flat.gather(2, cells).view_as(planes)
        return torch.cat([self.inner(turned), symmetries.unsqueeze(1).to(planes.dtype)], dim=1)

    def symmetries(self, planes: torch.Tensor) -> torch.Tensor:
        """``int64[B]``: by which symmetry each position is turned."""
        worths = planes.flatten(2).double() @ self._worths
        best = torch.ones(len(planes), SYMMETRIES, dtype=torch.bool, device=planes.device)
        for plane in reversed(range(planes.shape[1])):
            worth = worths[:, plane].masked_fill(~best, -torch.inf)
            best = worth == worth.amax(dim=1, keepdim=True)
        return best.to(torch.uint8).argmax(dim=1)


class TurnedTrunk(nn.Module):
    """The layers between features and heads; the policy's hand the symmetry on."""

    def __init__(self, inner: MlpExtractor) -> None:
        super().__init__()
        self.inner = inner
        self.latent_dim_pi: int = inner.latent_dim_pi
        self.latent_dim_vf: int = inner.latent_dim_vf

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the inputs of policy and value heads."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """Return the input of the policy head."""
        return torch.cat([self.inner.forward_actor(features[:, :-1]), features[:, -1:]], dim=1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """Return the input of the value head: values are those of the turned position."""
        latent: torch.Tensor = self.inner.forward_critic(features[:, :-1])
        return latent


class TurnedHead(nn.Module):
    """Logits of the turned position, each brought back to the action that it is of."""

    _symmetries: torch.Tensor

    def __init__(self, inner: nn.Module, symmetries: torch.Tensor) -> None:
        super().__init__()
        self.inner = inner
        self.register_buffer("_symmetries", symmetries, persistent=False)

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        """``float32[B, A]``."""
        logits: torch.Tensor = self.inner(latent[:, :-1])
        return logits.gather(1, self._symmetries[latent[:, -1].long()])


class TurnedPolicy(MaskableActorCriticPolicy):  # type: ignore[misc]
    """Answers a position and its seven images on a square board alike, by one of them.

    So training on a position trains on all eight, in games whose rules know no direction.
    For ``MaskablePPO(TurnedPolicy, envs, policy_kwargs={"symmetries": …})``.

    Args:
        observation_space: Planes ``[C, N, N]``.
        action_space: As SB3 gives it.
        lr_schedule: The same.
        symmetries: ``int[8, A]``: the image of every action under each symmetry, as
            ``game.symmetries(compact)`` returns it; models saved earlier call it ``turnings``.
        features_extractor_class: Extractor of features of the turned planes.
        features_extractor_kwargs: Its options.
        options: Those of SB3's policy, such as ``net_arch=``.

    Raises:
        InvalidConfig: Observations are no planes of a square, or ``symmetries`` are not eight
            permutations of the actions.
    """

    action_net: nn.Module

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Any,
        *,
        symmetries: Any = None,
        features_extractor_class: Callable[..., BaseFeaturesExtractor] = LinesExtractor,
        features_extractor_kwargs: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        shape = observation_space.shape or ()
        if len(shape) != 3 or shape[1] != shape[2]:
            message = (
                f"TurnedPolicy: observations have shape {list(shape)}; it needs planes [C, N, N] "
                "of a square board, with observation='planes'"
            )
            raise InvalidConfig(message)
        if "turnings" in options:
            message = "turnings= is deprecated in TurnedPolicy: write symmetries="
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            symmetries = options.pop("turnings")
        self._symmetries = _permutations(symmetries, int(action_space.n))  # type: ignore[attr-defined]
        self._inner_kind = features_extractor_class
        self._inner_options = dict(features_extractor_kwargs or {})
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            features_extractor_class=TurnedFeatures,
            features_extractor_kwargs={"kind": self._inner_kind, "options": self._inner_options},
            **options,
        )

    def _build_mlp_extractor(self) -> None:
        inner = MlpExtractor(
            self.features_dim - 1,
            net_arch=self.net_arch,
            activation_fn=self.activation_fn,
            device=self.device,
        )
        self.mlp_extractor = TurnedTrunk(inner)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = TurnedHead(self.action_net, torch.from_numpy(self._symmetries))

    def _get_constructor_parameters(self) -> dict[str, Any]:
        """Return the arguments that make the policy again when a model is loaded."""
        data: dict[str, Any] = super()._get_constructor_parameters()
        return data | {
            "symmetries": self._symmetries,
            "features_extractor_class": self._inner_kind,
            "features_extractor_kwargs": self._inner_options,
        }


def _permutations(symmetries: Any, actions: int) -> np.ndarray[Any, Any]:
    """``int64[8, A]``."""
    given = np.asarray(symmetries)
    right = given.shape == (SYMMETRIES, actions) and given.dtype.kind in "iu"
    if not right or (np.sort(given, axis=1) != np.arange(actions)).any():
        message = (
            f"symmetries={given.dtype}{list(given.shape)}: expected int[{SYMMETRIES}, {actions}], "
            "each row a permutation of the actions, as game.symmetries(compact) returns them"
        )
        raise InvalidConfig(message)
    return given.astype(np.int64)
