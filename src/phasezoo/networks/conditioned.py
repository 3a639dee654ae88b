"""Networks that take the phase of each position, and their batches by phase."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from phasezoo.checking import type_name
from phasezoo.errors import InvalidArray, InvalidConfig
from phasezoo.networks.output import NetworkOutput


class ConditionedNetwork(nn.Module, ABC):
    """A network that takes the phase of each position.

    Without phases, all count as equally likely, until :meth:`fix_phase` chooses one.

    Args:
        phases: How many there are: n.
    """

    extra_loss: Tensor | None = None
    """Part of the training loss that the last forward in training added, until it is taken."""

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

    def __getstate__(self) -> dict[str, Any]:
        # A copy has not computed it, and it cannot be copied.
        return {**self.__dict__, "extra_loss": None}

    def take_extra_loss(self) -> Tensor | None:
        """Return :attr:`extra_loss` and forget it, since it holds what the forward computed."""
        found, self.extra_loss = self.extra_loss, None
        return found

    def widened(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return weights of the network without phases as weights of this one.

        Weights of a network that takes the phase stay as they are.
        """
        return dict(tensors)

    def _check(self, phase: int) -> None:
        if not 0 <= phase < self.phases:
            message = f"phase={phase}: this network knows {self.phases} phases, counted from 0"
            raise InvalidArray(message)


@dataclass(frozen=True)
class RowsByPhase:
    """The rows of a batch, divided by phase."""

    rows: tuple[Tensor, ...]
    """``int64[B_k]`` of each phase."""
    places: Tensor
    """``int64[B]``: place of each row of the batch where those of all phases follow each other."""

    @classmethod
    def of(cls, phases: Tensor, count: int) -> "RowsByPhase":
        """Divide rows by ``int64[B]``."""
        rows = tuple((phases == phase).nonzero()[:, 0] for phase in range(count))
        return cls(rows, torch.argsort(torch.cat(rows)))

    def parts(self, inputs: Tensor) -> Iterator[tuple[int, Tensor]]:
        """Each phase that has rows, with its rows of ``inputs``."""
        for phase, own in enumerate(self.rows):
            if len(own) > 0:
                yield phase, inputs[own]

    def joined(self, parts: Sequence[Tensor]) -> Tensor:
        """Put the answers to :meth:`parts` into the batch's order."""
        return torch.cat(list(parts))[self.places]


@dataclass
class BatchPhases:
    """The phases of the batch that passes through a network, for its layers."""

    phases: Tensor | None = None
    """``int64[B]``; None: of none in particular."""
    rows: RowsByPhase | None = None
    """The same, divided."""


class ChangedLayer(nn.Module, ABC):
    """A layer that changes with the phase of each row."""

    def __init__(self, layer: nn.Module, change: nn.Module, batch: BatchPhases) -> None:
        super().__init__()
        self.layer: Any = layer
        self._batch = batch
        # In a tuple, so that its parameters are none of this layer's.
        self._kept = (change,)

    @property
    def change(self) -> Any:
        """The parameters by phase."""
        return self._kept[0]

    @abstractmethod
    def fixed(self, phase: int) -> nn.Module:
        """Return the layer as it is in a phase."""

    def _rows_of(self, inputs: Tensor) -> RowsByPhase | None:
        """The rows by phase; None if no phases are given."""
        rows = self._batch.rows
        if rows is not None and len(rows.places) != len(inputs):
            message = (
                f"{type_name(self.layer)}: gets {len(inputs)} rows for {len(rows.places)} "
                "positions, so the phase of a row is unknown; use phase_heads or phase_planes"
            )
            raise InvalidConfig(message)
        return rows
