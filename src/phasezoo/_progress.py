"""Progress of long work: a bar on a terminal, lines elsewhere, nothing after ``phasezoo -q``."""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any


def is_quiet() -> bool:
    """Return True if lines on progress are not wanted: the logger ``phasezoo`` drops warnings."""
    return not logging.getLogger("phasezoo").isEnabledFor(logging.WARNING)


def is_verbose() -> bool:
    """Return True if details are wanted: the logger ``phasezoo`` takes everything."""
    return logging.getLogger("phasezoo").isEnabledFor(logging.DEBUG)


def shows_bars(file: IO[str]) -> bool:
    """Return True if bars may be drawn."""
    return file.isatty() and not is_quiet()


class Lines:
    """Progress as lines of a log: one after ten seconds, then one a minute at most.

    Args:
        write: Writes a line; None: to standard error.
    """

    def __init__(self, write: Callable[[str], object] | None = None) -> None:
        self._write = write or (lambda line: sys.stderr.write(f"{line}\n"))
        self._due: float | None = None
        self._name, self._begun, self._before, self._done = "", 0.0, 0.0, 0.0

    def update(self, name: str, done: float, total: float | None, note: str = "") -> None:
        """Write how far the work is and how long the rest will take, if a line is due.

        Args:
            name: Title of the work.
            done: Amount done by now.
            total: Amount in the end; None: unknown.
            note: A few words on how it goes.
        """
        now = _now()
        if self._due is None:
            self._due = now + _FIRST_SECONDS
        if name != self._name or done < self._done:
            self._name, self._begun, self._before = name, now, done
        self._done = done
        if now < self._due or is_quiet():
            return
        self._due = now + _SECONDS
        begun, before = self._begun, self._before
        parts = [f"{done / total:.0%}".replace("%", " %") if total else "", note]
        if total and before < done < total:
            parts.append(f"about {_rough((now - begun) * (total - done) / (done - before))} left")
        elif now - begun >= 1:
            parts.append(f"{_rough(now - begun)} so far")
        self._write(f"{name}: {', '.join(filter(None, parts))}")


_FIRST_SECONDS = 10
_SECONDS = 60
_now = time.monotonic


def _rough(seconds: float) -> str:
    """Return a time in one unit."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"


@contextmanager
def bar(
    file: IO[str] | None, *columns: Any, transient: bool = False, **fields: Any
) -> Iterator[Callable[..., None]]:
    """Yield the function that updates a bar, by ``description``, ``completed``, ``total``, fields.

    It is drawn from the first update on, so that what is refused shows none. A file that is no
    terminal gets :class:`Lines`.

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
    lines = Lines(lambda line: print(line, file=progress.console.file, flush=True))

    def update(**values: Any) -> None:
        if shows_bars(progress.console.file):
            progress.start()
            progress.update(task, **values)
        elif not progress.live.is_started:
            note = ", ".join(filter(None, (values.get(name, "") for name in fields)))
            done, total = values.get("completed", 0), values.get("total")
            lines.update(values["description"], done, total, note)

    try:
        yield update
    finally:
        if progress.live.is_started:
            progress.stop()
