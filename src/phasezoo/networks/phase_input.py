"""Networks that take the phase of each position: as input planes, or by parts of their own for it.

They are one network where phase experts are several: the alternatives to experts that condition
the same weights on the phase.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args

import torch
from annotated_types import Interval
from torch import Tensor, nn
from torch.nn.functional import one_hot

from phasezoo.checking import type_name
from phasezoo.errors import InvalidConfig
from phasezoo.networks.conditioned import ConditionedNetwork, RowsByPhase
from phasezoo.networks.network import BodyAndHeads
from phasezoo.networks.output import NetworkOutput
from phasezoo.networks.phase_layers import (
    PhaseAdapters,
    PhaseBlocks,
    PhaseFilm,
    copies,
    with_copies,
)
from phasezoo.specs import Option
from phasezoo.types import PhaseInput

MOST_PHASES = 64

_PREFIX = "phase_"

PHASE_OPTIONS: Mapping[str, Option] = {
    name: Option(name, Annotated[int, Interval(ge=2, le=MOST_PHASES)], None)
    for name in (f"{_PREFIX}{how}" for how in get_args(PhaseInput))
}
"""The options of every network's text that give it the phase."""


class PhasePlanes(ConditionedNetwork):
    """A network whose last n input planes are 1 everywhere for the position's phase, else 0.

    Args:
        network: Takes n more planes than the game has.
        phases: How many phases there are: n.
    """

    assumed: Tensor

    def __init__(self, network: nn.Module, phases: int) -> None:
        super().__init__(phases)
        self.network = network
        self.register_buffer("assumed", torch.full((phases,), 1 / phases))

    def forward(self, planes: Tensor, phases: Tensor | None = None) -> NetworkOutput:
        """Answer ``float32[B, C, H, W]`` of phases ``int64[B]``; None: of none in particular."""
        rows, _, height, width = planes.shape
        if phases is None:
            said = self.assumed.to(planes.dtype).expand(rows, -1)
        else:
            said = one_hot(phases, self.phases).to(planes.dtype)
        shown = said[:, :, None, None].expand(-1, -1, height, width)
        answer: NetworkOutput = self.network(torch.cat([planes, shown], dim=1))
        return answer

    def fix_phase(self, phase: int) -> nn.Module:
        """Return a copy that answers planes alone, as this one does if all are of ``phase``."""
        self._check(phase)
        settled = copy.deepcopy(self)
        settled.assumed.zero_()[phase] = 1
        return settled


class PhaseHeads(ConditionedNetwork):
    """A body that all phases share, with a policy head for each of them.

    They share the value head, or have one each. Heads of several phases begin with the same
    weights. In training each sees the positions of its phase alone, statistics of its batch norms
    included.

    Args:
        network: A body with its heads.
        phases: How many phases there are: n.
        shares_value: Whether there is one value head.
    """

    def __init__(self, network: BodyAndHeads, phases: int, *, shares_value: bool = False) -> None:
        super().__init__(phases)
        self.body = network.body
        self.policies = copies(network.policy, phases)
        self.values = copies(network.value, 1 if shares_value else phases)

    def forward(self, planes: Tensor, phases: Tensor | None = None) -> NetworkOutput:
        """Answer ``float32[B, C, H, W]`` of the phases ``int64[B]``; None: the heads' mean."""
        features = self.body(planes)
        if phases is None:
            policy = torch.stack([head(features) for head in self.policies]).mean(dim=0)
            said = zip(*(head(features) for head in self.values), strict=True)
            return NetworkOutput(policy, *(_mean(field) for field in said))
        rows = RowsByPhase.of(phases, self.phases)
        policy = rows.joined([self.policies[k](own) for k, own in rows.parts(features)])
        if len(self.values) == 1:
            return NetworkOutput(policy, *self.values[0](features))
        said = zip(*(self.values[k](own) for k, own in rows.parts(features)), strict=True)
        fields = (None if field[0] is None else rows.joined(field) for field in said)
        return NetworkOutput(policy, *fields)

    def fix_phase(self, phase: int) -> nn.Module:
        """Return a copy of the body with the phase's heads."""
        self._check(phase)
        value = self.values[min(phase, len(self.values) - 1)]
        return copy.deepcopy(BodyAndHeads(self.body, self.policies[phase], value))

    def widened(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return weights with one policy and value head as weights with a copy for each phase."""
        many = {"policy.": ("policies.", self.phases), "value.": ("values.", len(self.values))}
        return with_copies(tensors, many)


@dataclass(frozen=True)
class PhaseChoice:
    """Phase input in a network's text, such as ``phase_planes=3`` or ``phase_heads=3``."""

    how: PhaseInput
    """Form of the phase input."""
    phases: int
    """Number of phases."""

    @classmethod
    def of(cls, options: Mapping[str, Any], where: str) -> "PhaseChoice | None":
        """Read the :data:`PHASE_OPTIONS` among ``options``; None if there are none."""
        given = [name for name in options if name in PHASE_OPTIONS]
        if len(given) > 1:
            message = f"{where}: give {' or '.join(given)}, not both"
            raise InvalidConfig(message)
        if not given:
            return None
        how: Any = given[0].removeprefix(_PREFIX)
        return cls(how, int(options[given[0]]))

    @property
    def option(self) -> dict[str, int]:
        """The option of a network's text."""
        return {f"{_PREFIX}{self.how}": self.phases}

    def shown(self, input_shape: tuple[int, int, int]) -> tuple[int, int, int]:
        """Return the input shape of the network inside."""
        channels, height, width = input_shape
        return (channels + self.phases * (self.how == "planes"), height, width)

    def wrap(self, network: nn.Module, name: str) -> ConditionedNetwork:
        """Wrap a network into one that takes the phase."""
        if self.how == "planes":
            return PhasePlanes(network, self.phases)
        if self.how == "film":
            return PhaseFilm(network, self.phases)
        if self.how == "adapters":
            return PhaseAdapters(network, self.phases)
        if not isinstance(network, BodyAndHeads):
            message = (
                f"{name}: {_PREFIX}{self.how} is for networks of a body, a policy head and a value "
                f"head (networks.BodyAndHeads), and this is {type_name(network)}; use phase_film, "
                "phase_adapters or phase_planes"
            )
            raise InvalidConfig(message)
        if self.how in ("heads", "policies"):
            return PhaseHeads(network, self.phases, shares_value=self.how == "policies")
        return PhaseBlocks(network, self.phases, learns_routing=self.how == "router")


def _mean(field: tuple[Tensor | None, ...]) -> Tensor | None:
    """Mean of a field over the heads, all of which answer it or none."""
    found = [part for part in field if part is not None]
    return torch.stack(found).mean(dim=0) if found else None
