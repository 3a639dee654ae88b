"""How a training tells what it is doing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TypeAlias


@dataclass(frozen=True)
class Progress:
    """Where a training is, after an update."""

    update: int
    """Updates done."""
    updates: int
    """Updates in all."""
    positions: int
    """Training positions seen."""
    total_positions: int
    """Training positions in all."""
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
        file: Where it is shown; default standard output.
    """
    from rich import progress as rich
    from rich.console import Console

    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TextColumn("{task.fields[losses]}"),
        rich.TimeRemainingColumn(),
    )
    bar = rich.Progress(*columns, console=Console(file=file))
    task = bar.add_task(description, total=None, losses="")

    def show(event: Progress) -> None:
        bar.start()  # not before: what is refused shows no bar
        bar.update(
            task,
            completed=event.positions,
            total=event.total_positions,
            losses=_losses(event),
            description=" ".join(filter(None, (description, event.name))),
        )

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()


def _losses(event: Progress) -> str:
    named = {"train": event.train_loss, "validation": event.validation_loss}
    return "  ".join(f"{name} {loss:.3f}" for name, loss in named.items() if loss is not None)
