"""Events of a training: its progress, and callbacks for a user's own code."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from phasezoo._progress import Lines, bar

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True)
class Progress:
    """Progress of a training after an update."""

    update: int
    """Updates done."""
    updates: int
    """Number of updates of the whole training."""
    positions: int
    """Training positions seen."""
    total_positions: int
    """Number of training positions of the whole training."""
    train_loss: float | None
    """Reported total on the last logged training positions."""
    validation_loss: float | None
    """Reported total at the last validation."""
    name: str = ""
    """Name of the network, if several are trained."""


OnProgress: TypeAlias = Callable[[Progress], None]
"""Called after every update; what it raises ends the training, which can be resumed."""


@contextmanager
def progress_bar(description: str, file: IO[str] | None = None) -> Iterator[OnProgress]:
    """A bar in the terminal, as the ``progress`` of :func:`phasezoo.training.train_supervised`.

    Args:
        description: What is being trained.
        file: Where it is shown; default standard output. A file that is no terminal gets a line a
            minute.
    """
    from rich import progress as rich

    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TextColumn("{task.fields[losses]}"),
        rich.TimeRemainingColumn(),
    )
    with bar(file, *columns, losses="") as update:
        yield lambda event: update(
            completed=event.positions,
            total=event.total_positions,
            losses=_losses(event),
            description=" ".join(filter(None, (description, event.name))),
        )


def lines_of_progress() -> OnProgress:
    """Return what writes lines on a training to standard error, at most one a minute."""
    lines = Lines()

    def show(event: Progress) -> None:
        name = f"Training {event.name}".rstrip()
        lines.update(name, event.positions, event.total_positions, _losses(event))

    return show


def _losses(event: Progress) -> str:
    named = {"train": event.train_loss, "validation": event.validation_loss}
    return "  ".join(f"{name} {loss:.3f}" for name, loss in named.items() if loss is not None)


@dataclass(frozen=True)
class TrainingStart:
    """A training that begins, or goes on."""

    out: Path
    """Its directory."""
    network: "nn.Module"
    """The network that learns, as it is now."""
    identity: Mapping[str, Any]
    """All that the numbers of the training depend on, as JSON."""
    update: int
    """Updates done before: 0 unless an interrupted training goes on."""
    updates: int
    """Number of updates of the whole training."""


class Callback:
    """Methods that a training calls as it goes; override what is wanted.

    What a callback raises ends the training, which the same call continues from its last
    checkpoint. A training that had ended before calls none. With several processes the first one
    calls its own.
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
    """Several callbacks as one, called in their order.

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
        """Call all."""
        for member in self._members:
            member.start(training)

    def update(self, progress: Progress) -> None:
        """Call all."""
        for member in self._members:
            member.update(progress)
        if self._progress is not None:
            self._progress(progress)

    def evaluation(self, row: Mapping[str, float | None]) -> None:
        """Call all."""
        for member in self._members:
            member.evaluation(row)

    def end(self, result: Any) -> None:
        """Call all."""
        for member in self._members:
            member.end(result)
