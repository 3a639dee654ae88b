"""When a search ends."""

import re
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, TypeAlias

from annotated_types import Interval

from phasezoo import _core
from phasezoo.errors import InvalidConfig
from phasezoo.specs import Unit, check

LEAST_MS, MOST_MS = 1e-6, 1e12
"""The shortest and the longest time: a nanosecond, and 31 years."""

Milliseconds: TypeAlias = Annotated[float, Interval(ge=0, le=MOST_MS), Unit("milliseconds")]
Amount: TypeAlias = Annotated[int, Interval(ge=1, le=2**63 - 1)]

_SECONDS = r"\d{1,12}(?:\.\d{1,9})?"
_CLOCK = re.compile(
    rf"(?:(?P<moves>\d{{1,9}})/)?(?P<left>{_SECONDS})(?:\+(?P<increment>{_SECONDS}))?"
)


@dataclass(frozen=True)
class TimeControl:
    """The clock of the player to move; how it is spent is on ``docs/definitions/limits.md``.

    Attributes:
        left_ms: Milliseconds left.
        increment_ms: Milliseconds that are added after the move.
        moves_to_go: Moves until more time is added, this one among them. None: none is added.
        overhead_ms: Milliseconds that a move loses on its way to the clock.
    """

    expected: ClassVar[str] = "a clock, such as 60+0.6 or 40/300"

    left_ms: Milliseconds
    increment_ms: Milliseconds = 0.0
    moves_to_go: Annotated[int, Interval(ge=1, le=2**32 - 1)] | None = None
    overhead_ms: Milliseconds = 0.0

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def read(cls, text: str) -> "TimeControl":
        """The clock that a text writes: ``"60+0.6"``, seconds and those added after a move.

        ``"40/300"`` adds the 300 seconds again after 40 moves.

        Raises:
            InvalidConfig: The text is no time control, or a time is out of range.
        """
        found = _CLOCK.fullmatch(text)
        if found is None:
            message = f"clock={text!r}: expected {cls.expected}"
            raise InvalidConfig(message)
        left, increment = 1000 * float(found["left"]), 1000 * float(found["increment"] or 0)
        return cls(left, increment, int(found["moves"]) if found["moves"] else None)

    @property
    def text(self) -> str | None:
        """The text that :meth:`read` reads; None if a text cannot say all of it."""
        moves = "" if self.moves_to_go is None else f"{self.moves_to_go}/"
        times = [f"{time / 1e3:.9f}" for time in (self.left_ms, self.increment_ms) if time]
        text = moves + "+".join(each.rstrip("0").rstrip(".") for each in times or ["0"])
        return text if _CLOCK.fullmatch(text) and TimeControl.read(text) == self else None

    @property
    def target_ms(self) -> float:
        """The time planned for the next move."""
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

    Attributes:
        nodes: Positions newly evaluated by the evaluator; a reused subtree does not count.
        simulations: Finished descents with their backup, those that end in terminal positions
            included.
        movetime_ms: Wall time of a move in milliseconds.
        clock: The clock of the player to move, of which a share is spent.
        depth: Mean length of this search's descents in whole plies (lc0's depth).
        mate: A win of the player to move in so many of their moves ends the search. Alone it ends
            no search that finds none: a caller has to stop that.
        infinite: Whether a search without any other limit is meant, which a caller stops. A single
            legal move does not end it.
    """

    nodes: Amount | None = None
    simulations: Amount | None = None
    movetime_ms: (
        Annotated[float, Interval(ge=LEAST_MS, le=MOST_MS), Unit("milliseconds")] | None
    ) = None
    clock: TimeControl | None = None
    depth: Amount | None = None
    mate: Amount | None = None
    infinite: bool = False

    def __post_init__(self) -> None:
        check(self)
        given = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        if given == ["infinite"] and not self.infinite:
            message = (
                "a limit without a limit: give nodes=, simulations=, movetime_ms=, clock=, depth= "
                "or mate=, or infinite=True"
            )
            raise InvalidConfig(message)

    @property
    def is_timed(self) -> bool:
        """Whether wall time may end the search."""
        return self.movetime_ms is not None or self.clock is not None

    @property
    def is_endless(self) -> bool:
        """Whether a search may go on until a caller stops it."""
        ends = (self.nodes, self.simulations, self.movetime_ms, self.clock, self.depth)
        return self.infinite or all(each is None for each in ends)

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


def limit_or(limit: Any, default: Limit) -> Limit:
    """``limit``, or the default for None."""
    return default if limit is None else checked_limit(limit)


def checked_limit(limit: Any) -> Limit:
    """``limit``, if it is one."""
    if not isinstance(limit, Limit):
        message = f"limit={limit!r}: expected a Limit, such as Limit(simulations=3000)"
        raise InvalidConfig(message)
    return limit
