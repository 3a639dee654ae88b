"""``phasezoo perft``: count the positions a number of plies ahead, the test of a move generator."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import tyro

from phasezoo.apps.options import parse
from phasezoo.errors import InvalidConfig

__all__ = ["main"]

MOST = 13
"""The last depth whose count from the start of chess, 2e18, fits into 64 bits."""


@dataclass(frozen=True)
class Options:
    """Count the leaves of the tree of legal moves; the last line is the count."""

    game: tyro.conf.Positional[str]
    """Game: chess, chess960, atomic, crazyhouse or krk."""
    depth: int
    """Plies to look ahead (0 to 13)."""
    fen: str | None = None
    """Position to count from; none: the start."""
    threads: int | None = None
    """Threads (1 or more; none: every usable core)."""


def main(arguments: Sequence[str]) -> int:
    """Run the command.

    Raises:
        InvalidConfig: The depth or number of threads is out of range.
        InvalidFen: The position is none.
        UnknownGame: There is no such game, or it has no perft.
    """
    options = parse(Options, arguments, "phasezoo perft")
    if not 0 <= options.depth <= MOST:
        message = f"--depth {options.depth}: must be 0 to {MOST}"
        raise InvalidConfig(message)
    if options.threads is not None and options.threads < 1:
        message = f"--threads {options.threads}: must be 1 or more"
        raise InvalidConfig(message)
    from phasezoo import _core

    started = time.perf_counter()
    nodes = _core.perft(options.game, options.fen, options.depth, options.threads)
    seconds = time.perf_counter() - started
    speed = f", {nodes / seconds / 1e6:.0f} million a second" if seconds > 0.01 else ""
    where = options.fen or "the start"
    sys.stdout.write(
        f"{options.game} from {where}, depth {options.depth}: {seconds:.2f} s{speed}\n{nodes}\n"
    )
    return 0
