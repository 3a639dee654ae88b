"""When a search ends."""

from dataclasses import dataclass, fields
from typing import Any

from phasezoo import _core
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import flag

__all__ = ["Limit", "TimeControl", "limit_or"]

_COUNTS = ("nodes", "simulations", "depth", "mate")

_USUAL = ("nodes", "simulations", "movetime_ms")
"""What messages tell even if it was not given."""


@dataclass(frozen=True)
class TimeControl:
    """The clock of the player to move; how it is spent is on ``docs/definitions/limits.md``."""

    left_ms: float
    """Milliseconds left, from 0."""
    increment_ms: float = 0.0
    """Milliseconds that are added after the move, from 0."""
    moves_to_go: int | None = None
    """Moves until more time is added, this one among them; at least 1. None: none is added."""
    overhead_ms: float = 0.0
    """Milliseconds that a move loses on its way to the clock, from 0."""

    def __post_init__(self) -> None:
        for name in ("left_ms", "increment_ms", "overhead_ms"):
            value = getattr(self, name)
            if not _is_number(value) or not 0 <= value < float("inf"):
                message = f"{name}={value!r}: expected milliseconds from 0"
                raise InvalidConfig(message)
        if self.moves_to_go is not None and not _is_count(self.moves_to_go, 2**32):
            message = f"moves_to_go={self.moves_to_go!r}: expected a whole number from 1, or None"
            raise InvalidConfig(message)

    @property
    def target_ms(self) -> float:
        """What the next move is meant to take."""
        return _core.allot(*self.words())[0]

    @property
    def most_ms(self) -> float:
        """When the next move has to be played, whatever has been found."""
        return _core.allot(*self.words())[1]

    def words(self) -> tuple[float, float, int | None, float]:
        """The clock as the core takes it."""
        return self.left_ms, self.increment_ms, self.moves_to_go, self.overhead_ms

    def __str__(self) -> str:
        to_go = "" if self.moves_to_go is None else f"{self.moves_to_go} moves in "
        return f"{to_go}{self.left_ms / 1e3:g}+{self.increment_ms / 1e3:g} s"


@dataclass(frozen=True)
class Limit:
    """When a search ends: at the first of the limits that are given.

    What counts as a node and a simulation is on the page ``docs/definitions/limits.md``.

    A search also ends when its root is solved.
    """

    nodes: int | None = None
    """Positions newly evaluated by the evaluator; a reused subtree does not count. At least 1."""
    simulations: int | None = None
    """Finished descents with their backup, those that end in terminal positions included. At
    least 1."""
    movetime_ms: float | None = None
    """Wall time of a move in milliseconds, more than 0."""
    clock: TimeControl | None = None
    """The clock of the player to move, of which a share is spent."""
    depth: int | None = None
    """Mean length of this search's descents in whole plies (lc0's depth). At least 1."""
    mate: int | None = None
    """A win of the player to move in so many of their moves ends the search. At least 1."""
    infinite: bool = False
    """Whether a search without any other limit is meant, which somebody stops. A single legal move
    does not end it."""

    def __post_init__(self) -> None:
        flag("infinite", self.infinite)
        given = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        if given == ["infinite"] and not self.infinite:
            message = (
                "a limit without a limit: give nodes=, simulations=, movetime_ms=, clock=, depth= "
                "or mate=, or infinite=True"
            )
            raise InvalidConfig(message)
        whole = all(
            getattr(self, name) is None or _is_count(getattr(self, name), 2**63) for name in _COUNTS
        )
        if not whole or (self.movetime_ms is not None and not 0 < self.movetime_ms < float("inf")):
            shown = ", ".join(
                f"{name}={value!r}"
                for name, value in self.words().items()
                if name not in ("clock", "infinite") and (name in _USUAL or value is not None)
            )
            message = (
                f"{shown}: nodes and simulations are whole numbers from 1 and below 2**63, "
                "movetime_ms is more than 0, depth and mate are whole numbers from 1"
            )
            raise InvalidConfig(message)
        clock: Any = self.clock
        if clock is not None and not isinstance(clock, TimeControl):
            message = (
                f"clock={clock!r}: expected a TimeControl, such as TimeControl(left_ms=60_000)"
            )
            raise InvalidConfig(message)

    @property
    def is_timed(self) -> bool:
        """Whether wall time may end the search."""
        return self.movetime_ms is not None or self.clock is not None

    def words(self) -> dict[str, Any]:
        """The limit as the core takes it, by keyword."""
        return {
            "nodes": self.nodes,
            "simulations": self.simulations,
            "movetime_ms": self.movetime_ms,
            "clock": None if self.clock is None else self.clock.words(),
            "depth": self.depth,
            "mate": self.mate,
            "infinite": self.infinite,
        }

    def __str__(self) -> str:
        parts = [] if self.nodes is None else [f"{self.nodes} nodes"]
        if self.simulations is not None:
            parts.append(f"{self.simulations} simulations")
        if self.movetime_ms is not None:
            parts.append(f"{self.movetime_ms:g} ms")
        if self.clock is not None:
            parts.append(f"{self.clock}")
        if self.depth is not None:
            parts.append(f"depth {self.depth}")
        if self.mate is not None:
            parts.append(f"mate in {self.mate}")
        if self.infinite:
            parts.append("until it is stopped")
        return ", ".join(parts)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: Any, below: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value < below


def limit_or(limit: Any, default: Limit) -> Limit:
    """``limit``, or the default if there is none.

    Raises:
        InvalidConfig: ``limit`` is no :class:`Limit`.
    """
    if limit is None:
        return default
    if not isinstance(limit, Limit):
        message = f"limit={limit!r}: expected a Limit, such as Limit(simulations=3000)"
        raise InvalidConfig(message)
    return limit
