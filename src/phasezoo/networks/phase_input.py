"""Networks that take the phase of each position: as input planes, or by a head for each phase.

They are one network where phase experts are several: the alternatives to experts that condition
the same weights on the phase.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import torch
from annotated_types import Interval
from torch import Tensor, nn
from torch.nn.functional import one_hot

from phasezoo.checking import type_name
from phasezoo.errors import InvalidArray, InvalidConfig
from phasezoo.networks.network import BodyAndHeads
from phasezoo.networks.output import NetworkOutput
from phasezoo.specs import Option

PhaseInput: TypeAlias = Literal["planes", "heads"]
"""Form of the phase input: a plane for each phase, or a policy head and a value head for each on
a body that all share."""

MOST_PHASES = 64

_PREFIX = "phase_"

PHASE_OPTIONS: Mapping[str, Option] = {
    name: Option(name, Annotated[int, Interval(ge=2, le=MOST_PHASES)], None)
    for name in (f"{_PREFIX}planes", f"{_PREFIX}heads")
}
"""The options of every network's text that give it the phase."""


class ConditionedNetwork(nn.Module, ABC):
    """A network that takes the phase of each position.

    Without phases, all count as equally likely, until :meth:`fix_phase` chooses one.

    Args:
        phases: How many there are: n.
    """

    def __init__(self, phases: int) -> None:
        super().__init__()
        self.phases = phases

    @abstractmethod
    def forward(self, planes: Tensor, phases: Tensor | None = None) -> NetworkOutput:
        """Answer ``float32[B, C, H, W]`` of phases ``int64[B]``; None: of none in particular."""

    @abstractmethod
    def fix_phase(self, phase: int) -> nn.Module:
        """Return a copy that answers planes alone, as this one does if all are of ``phase``.

        Raises:
            InvalidArray: There is no such phase.
        """

    def _check(self, phase: int) -> None:
        if not 0 <= phase < self.phases:
            message = f"phase={phase}: this network knows {self.phases} phases, counted from 0"
            raise InvalidArray(message)


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
    """A body that all phases share, with a policy head and a value head for each of them.

    The heads begin with the same weights. In training each sees the positions of its phase alone,
    statistics of its batch norms included.

    Args:
        network: A body with its heads.
        phases: How many phases there are: n.
    """

    def __init__(self, network: BodyAndHeads, phases: int) -> None:
        super().__init__(phases)
        self.body = network.body
        self.policies = _copies(network.policy, phases)
        self.values = _copies(network.value, phases)

    def forward(self, planes: Tensor, phases: Tensor | None = None) -> NetworkOutput:
        """Answer ``float32[B, C, H, W]`` of the phases ``int64[B]``; None: the heads' mean."""
        features = self.body(planes)
        if phases is None:
            answers = [self._answer(features, phase) for phase in range(self.phases)]
            return _joined(answers, lambda parts: torch.stack(parts).mean(dim=0))
        rows = [(phases == phase).nonzero()[:, 0] for phase in range(self.phases)]
        places = torch.argsort(torch.cat(rows))
        answers = [
            self._answer(features[own], phase) for phase, own in enumerate(rows) if len(own) > 0
        ]
        return _joined(answers, lambda parts: torch.cat(parts)[places])

    def fix_phase(self, phase: int) -> nn.Module:
        """Return a copy of the body with the phase's heads."""
        self._check(phase)
        return copy.deepcopy(BodyAndHeads(self.body, self.policies[phase], self.values[phase]))

    def widened(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return weights of the network with one policy and value head as weights of this one.

        Each phase gets a copy of its heads. Weights of a network with heads by phase stay.
        """
        found = {}
        for name, tensor in tensors.items():
            head, _, rest = name.partition(".")
            many = {"policy": "policies", "value": "values"}.get(head)
            names = [name] if many is None else [f"{many}.{k}.{rest}" for k in range(self.phases)]
            found.update(dict.fromkeys(names, tensor))
        return found

    def _answer(self, features: Tensor, phase: int) -> NetworkOutput:
        return NetworkOutput(self.policies[phase](features), *self.values[phase](features))


@dataclass(frozen=True)
class PhaseChoice:
    """Phase input in a network's text: ``phase_planes=3`` or ``phase_heads=3``."""

    how: PhaseInput
    """Form of the phase input."""
    phases: int
    """Number of phases."""

    @classmethod
    def of(cls, options: Mapping[str, Any], where: str) -> "PhaseChoice | None":
        """Read the :data:`PHASE_OPTIONS` among ``options``; None if there are none."""
        given = [name for name in options if name in PHASE_OPTIONS]
        if len(given) > 1:
            message = f"{where}: give phase_planes or phase_heads, not both"
            raise InvalidConfig(message)
        if not given:
            return None
        how: PhaseInput = "planes" if given[0] == f"{_PREFIX}planes" else "heads"
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
        if not isinstance(network, BodyAndHeads):
            message = (
                f"{name}: phase_heads is for networks of a body, a policy head and a value head "
                f"(networks.BodyAndHeads), and this is {type_name(network)}; use phase_planes"
            )
            raise InvalidConfig(message)
        return PhaseHeads(network, self.phases)


def _copies(head: nn.Module, phases: int) -> nn.ModuleList:
    return nn.ModuleList(copy.deepcopy(head) for _ in range(phases))


def _joined(answers: list[NetworkOutput], join: Callable[[list[Tensor]], Tensor]) -> NetworkOutput:
    """Return the answers of several heads as one; all of them answer the same fields."""
    fields = answers[0].answered()
    return NetworkOutput(
        **{field: join([getattr(answer, field) for answer in answers]) for field in fields}
    )
