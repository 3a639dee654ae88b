"""Whether progress is shown: not in files and pipes, nor after ``phasezoo -q``."""

import logging
from typing import IO


def is_quiet() -> bool:
    """Return True if lines on progress are not wanted: the logger ``phasezoo`` drops warnings."""
    return not logging.getLogger("phasezoo").isEnabledFor(logging.WARNING)


def shows_bars(file: IO[str]) -> bool:
    """Return True if bars may be drawn.

    Args:
        file: Where to.
    """
    return file.isatty() and not is_quiet()
