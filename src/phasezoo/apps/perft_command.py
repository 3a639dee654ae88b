"""``phasezoo perft``: count the positions a number of plies ahead, the test of a move generator."""

import sys
import time
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Interval

from phasezoo import _core, games
from phasezoo.errors import InvalidConfig, InvalidState, about
from phasezoo.specs import Argument, PositiveUInt16

MOST = 13
"""The last depth whose count from the start of chess, 2e18, fits into 64 bits."""


@dataclass(frozen=True)
class PerftOptions:
    """Count the leaves of the tree of legal moves; the last line is the count."""

    game: Annotated[str, Argument(positional=True)]
    """A game of the package whose players take turns."""
    depth: Annotated[int, Interval(ge=0, le=MOST)]
    """Plies to look ahead (with --divide 1 or more)."""
    fen: str | None = None
    """Position to count from, of Connect Four the columns played; none: the start."""
    divide: bool = False
    """Also print the count below each move."""
    threads: PositiveUInt16 | None = None
    """Threads (none: every usable core)."""

    def run(self) -> int:
        """Count and print."""
        if self.divide and self.depth == 0:
            message = f"--depth 0 --divide: expected a whole number from 1 to {MOST}"
            raise InvalidConfig(message)
        handle = games.make(self.game)  # names a near miss
        if self.fen is not None:
            with about(f"--fen {self.fen}", InvalidState, InvalidConfig):
                handle.from_text(self.fen)
        started = time.perf_counter()
        if self.divide:
            parts = divide(self.game, self.fen, self.depth, self.threads)
            sys.stdout.write("".join(f"{move}: {count}\n" for move, count in parts))
            nodes = sum(count for _, count in parts)
        else:
            nodes = _core.perft(self.game, self.fen, self.depth, self.threads)
        seconds = time.perf_counter() - started
        speed = f", {nodes / seconds / 1e6:.0f} million a second" if seconds > 0.01 else ""
        place = self.fen or "the start"
        sys.stdout.write(
            f"{self.game} from {place}, depth {self.depth}: {seconds:.2f} s{speed}\n{nodes}\n"
        )
        return 0


def divide(game: str, fen: str | None, depth: int, threads: int | None) -> list[tuple[str, int]]:
    """The leaves below each move, by the move's name, in the order of actions.

    Args:
        game: Name of a game that has perft.
        fen: Position to count from, or the columns played; None: the start.
        depth: Plies to look ahead, the move among them (1 or more).
        threads: Threads; default every usable core.
    """
    from phasezoo.games.queries import move_text

    _core.perft(game, fen, 0, threads)  # refuses games without perft, and wrong FEN
    handle = games.make(game)
    state: Any = handle.initial_state() if fen is None else handle.from_text(fen)
    return [
        (move_text(state, action), _leaves(game, state.play(action), depth - 1, threads))
        for action in map(int, state.legal_actions)
    ]


def _leaves(game: str, state: Any, depth: int, threads: int | None) -> int:
    """Leaves below a state: by the core if the game can write the state down, else by playing."""
    if depth == 0:
        return 1
    if hasattr(state, "fen"):
        return _core.perft(game, state.fen, depth, threads)
    return sum(
        _leaves(game, state.play(int(action)), depth - 1, threads) for action in state.legal_actions
    )
