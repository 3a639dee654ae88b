"""A policy of MaskablePPO with an expert for every phase."""

from collections.abc import Callable
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor
from torch import nn

from phasezoo.errors import InvalidConfig
from phasezoo.integrations.sb3.features import PlanesExtractor


class Routed(nn.Module):
    """One module for every phase; each row of a batch is answered by that of its phase.

    The last numbers of a row show its phase, 1 at its place and 0 elsewhere.

    Args:
        make: Makes the module of one phase.
        num_phases: How many phases there are.
    """

    def __init__(self, make: Callable[[], nn.Module], num_phases: int) -> None:
        super().__init__()
        self.experts = nn.ModuleList(make() for _ in range(num_phases))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the experts' answers, without the phase."""
        return routed(self.experts, rows[:, : -len(self.experts)], rows[:, -len(self.experts) :])


def routed(experts: nn.ModuleList, given: torch.Tensor, phases: torch.Tensor) -> torch.Tensor:
    """Each row of ``given`` as the expert of its phase (one 1 in ``phases``) answers it."""
    chosen = phases.argmax(dim=1)
    answers: torch.Tensor | None = None
    for phase, expert in enumerate(experts):
        rows = torch.nonzero(chosen == phase).squeeze(1)
        if len(rows) == 0:
            continue
        answer = expert(given[rows])
        if answers is None:
            answers = answer.new_zeros((len(given), *answer.shape[1:]))
        answers = answers.index_copy(0, rows, answer)
    if answers is None:  # a batch of no rows
        answers = experts[0](given)
    return answers


class RoutedFeatures(BaseFeaturesExtractor):  # type: ignore[misc]
    """A feature extractor for every phase; the phase is handed on behind the features."""

    def __init__(
        self,
        observation_space: spaces.Dict,
        num_phases: int,
        kind: Callable[..., BaseFeaturesExtractor],
        options: dict[str, Any],
    ) -> None:
        experts = [kind(observation_space["observation"], **options) for _ in range(num_phases)]
        super().__init__(observation_space, experts[0].features_dim + num_phases)
        self.experts = nn.ModuleList(experts)

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """``float32[B, features and phases]``."""
        phases = observations["phase"]
        features = routed(self.experts, observations["observation"], phases)
        return torch.cat([features, phases], dim=1)


class RoutedTrunk(nn.Module):
    """The layers between features and heads for every phase, handing the phase on."""

    def __init__(self, make: Callable[[], MlpExtractor], num_phases: int) -> None:
        super().__init__()
        trunks = [make() for _ in range(num_phases)]
        self.policy = nn.ModuleList(trunk.policy_net for trunk in trunks)
        self.value = nn.ModuleList(trunk.value_net for trunk in trunks)
        self.latent_dim_pi: int = trunks[0].latent_dim_pi
        self.latent_dim_vf: int = trunks[0].latent_dim_vf

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the inputs of policy and value heads."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """Return the inputs of the policy heads."""
        return self._passed(self.policy, features)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """Return the inputs of the value heads."""
        return self._passed(self.value, features)

    @staticmethod
    def _passed(experts: nn.ModuleList, features: torch.Tensor) -> torch.Tensor:
        phases = features[:, -len(experts) :]
        return torch.cat([routed(experts, features[:, : -len(experts)], phases), phases], dim=1)


class PhaseGatedPolicy(MaskableActorCriticPolicy):  # type: ignore[misc]
    """An expert for every phase inside one policy: extractors, layers and heads of their own.

    The phase comes with the observation, as ``make_vec_env(…, gate=…, with_phase=True)`` shows it,
    and every row is answered, and learned from, by the expert of its phase alone. For
    ``MaskablePPO(PhaseGatedPolicy, envs, …)``.

    Args:
        observation_space: With ``observation``, the planes, and ``phase``.
        action_space: As SB3 gives it.
        lr_schedule: The same.
        num_phases: How many phases there are; default the number that the observation shows.
        features_extractor_class: What turns planes into features, made for every phase.
        features_extractor_kwargs: Its options.
        options: Those of SB3's policy, such as ``net_arch=``.

    Raises:
        InvalidConfig: Observations show no phase, or another number of them.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Any,
        *,
        num_phases: int | None = None,
        features_extractor_class: Callable[..., BaseFeaturesExtractor] = PlanesExtractor,
        features_extractor_kwargs: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        if (
            not isinstance(observation_space, spaces.Dict)
            or "phase" not in observation_space.spaces
        ):
            message = (
                "PhaseGatedPolicy routes by the phase, which observations do not show: make the "
                "environments with sb3.make_vec_env(…, gate=…, with_phase=True)"
            )
            raise InvalidConfig(message)
        shown = observation_space["phase"].shape[0]  # type: ignore[index]
        if num_phases not in (None, shown):
            message = f"num_phases={num_phases}: observations show {shown} phases"
            raise InvalidConfig(message)
        self.num_phases = shown
        self._expert_kind = features_extractor_class
        self._expert_options = dict(features_extractor_kwargs or {})
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            features_extractor_class=RoutedFeatures,
            features_extractor_kwargs={
                "num_phases": shown,
                "kind": features_extractor_class,
                "options": self._expert_options,
            },
            **options,
        )

    def _build_mlp_extractor(self) -> None:
        """A trunk for every phase."""
        self.mlp_extractor = RoutedTrunk(
            lambda: MlpExtractor(
                self.features_dim - self.num_phases,
                net_arch=self.net_arch,
                activation_fn=self.activation_fn,
                device=self.device,
            ),
            self.num_phases,
        )

    def _build(self, lr_schedule: Any) -> None:
        """Heads for every phase; SB3 makes one of each, and the optimizer, around this."""
        super()._build(lr_schedule)
        policy, value = self.mlp_extractor.latent_dim_pi, self.mlp_extractor.latent_dim_vf
        self.action_net = self._heads(
            lambda: self.action_dist.proba_distribution_net(latent_dim=policy), gain=0.01
        )
        self.value_net = self._heads(lambda: nn.Linear(value, 1), gain=1.0)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def _heads(self, make: Callable[[], nn.Module], gain: float) -> Routed:
        heads = Routed(make, self.num_phases)
        if self.ortho_init:
            heads.apply(lambda module: self.init_weights(module, gain=gain))
        return heads

    def _get_constructor_parameters(self) -> dict[str, Any]:
        """Return the arguments that make the policy again when a model is loaded."""
        data: dict[str, Any] = super()._get_constructor_parameters()
        return data | {
            "num_phases": self.num_phases,
            "features_extractor_class": self._expert_kind,
            "features_extractor_kwargs": self._expert_options,
        }
