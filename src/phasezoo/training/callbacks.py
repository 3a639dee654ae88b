"""Events of a training for a user's own code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from phasezoo.training.progress import OnProgress, Progress


@dataclass(frozen=True)
class TrainingStart:
    """A training that begins, or goes on."""

    out: Path
    """Its directory."""
    network: nn.Module
    """The network that learns, as it is now."""
    identity: Mapping[str, Any]
    """All that the numbers of the training depend on, as JSON."""
    update: int
    """Updates done before: 0 unless an interrupted training goes on."""
    updates: int
    """Updates in all."""


class Callback:
    """Told of a training's course; override what is wanted.

    What a callback raises ends the training, which the same call continues from its last
    checkpoint. Nobody is told of a training that had ended before. With several processes the first
    one's callbacks are told.
    """

    def start(self, training: TrainingStart) -> None:
        """Before the first update of this session."""

    def update(self, progress: Progress) -> None:
        """After every update."""

    def evaluation(self, row: Mapping[str, float | None]) -> None:
        """After every validation: the row of ``metrics.csv``."""

    def end(self, result: Any) -> None:
        """After the network was saved: the :class:`phasezoo.training.TrainingResult`."""


class Callbacks(Callback):
    """Several callbacks as one, told in their order.

    Args:
        members: The callbacks.
        progress: Called after every update, after them.
    """

    def __init__(
        self, members: Sequence[Callback] = (), progress: OnProgress | None = None
    ) -> None:
        self._members = tuple(members)
        self._progress = progress

    def start(self, training: TrainingStart) -> None:
        """Tell all."""
        for member in self._members:
            member.start(training)

    def update(self, progress: Progress) -> None:
        """Tell all."""
        for member in self._members:
            member.update(progress)
        if self._progress is not None:
            self._progress(progress)

    def evaluation(self, row: Mapping[str, float | None]) -> None:
        """Tell all."""
        for member in self._members:
            member.evaluation(row)

    def end(self, result: Any) -> None:
        """Tell all."""
        for member in self._members:
            member.end(result)
