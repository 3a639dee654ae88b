"""Whether progress is shown: not in files and pipes, nor after ``phasezoo -q``."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any


def is_quiet() -> bool:
    """Return True if lines on progress are not wanted: the logger ``phasezoo`` drops warnings."""
    return not logging.getLogger("phasezoo").isEnabledFor(logging.WARNING)


def shows_bars(file: IO[str]) -> bool:
    """Return True if bars may be drawn.

    Args:
        file: Where to.
    """
    return file.isatty() and not is_quiet()


@contextmanager
def bar(
    file: IO[str] | None, *columns: Any, transient: bool = False, **fields: Any
) -> Iterator[Callable[..., None]]:
    """Yield the function that updates a bar, by ``description``, ``completed``, ``total``, fields.

    It is drawn from the first update on, so that what is refused shows none.

    Args:
        file: Where to; None: standard output.
        columns: Those of ``rich.progress``.
        transient: True to remove the bar at the end.
        fields: More texts that columns show.
    """
    from rich.console import Console
    from rich.progress import Progress

    progress = Progress(*columns, console=Console(file=file), transient=transient)
    task = progress.add_task("", total=None, **fields)

    def update(**values: Any) -> None:
        if shows_bars(progress.console.file):
            progress.start()
            progress.update(task, **values)

    try:
        yield update
    finally:
        if progress.live.is_started:
            progress.stop()
