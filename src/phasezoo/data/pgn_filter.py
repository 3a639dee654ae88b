"""Which games of PGN files are kept."""

import re
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from annotated_types import Interval

from phasezoo.errors import InvalidConfig
from phasezoo.specs import UInt32, check

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


@dataclass(frozen=True, kw_only=True)
class PgnFilter:
    """Which games of PGN files are kept; by default all that can be read.

    What cannot be read is skipped first, then what the options here leave out, in their order.
    """

    min_plies: UInt32 = 0
    """Skip games with fewer plies; those without moves are skipped always."""
    min_moves: Annotated[int, Interval(ge=0, le=2**31)] = 0
    """Skip games in which fewer moves were begun: n moves are 2n - 1 plies."""
    min_rating: Annotated[int, Interval(ge=0, le=9_999)] | None = None
    """Skip games in which a player has a lower rating, or none."""
    termination: str | None = None
    """Skip games whose tag Termination does not contain this word, such as normal."""
    from_month: str | None = None
    """Skip games before this month, such as 2013-01, and those that may be."""
    to_month: str | None = None
    """Skip games after this month, and those that may be."""
    deduplicate: bool = False
    """Keep only the first of games with the same start and moves."""
    top_players: Annotated[float, Interval(gt=0, le=1)] | None = None
    """Skip games in which a player is not among this share (0.1: a tenth) of the best by mean
    rating, of all players of the game in these files."""
    salvage: bool = False
    """Keep the readable moves of a damaged game, and mark it."""

    def core_options(self) -> dict[str, Any]:
        """Return these options as the native core takes them."""
        check(self)
        for name in ("from_month", "to_month"):
            if getattr(self, name) is not None:
                checked_month(name, getattr(self, name))
        if self.from_month and self.to_month and self.from_month > self.to_month:
            message = f"from_month={self.from_month} is after to_month={self.to_month}"
            raise InvalidConfig(message)
        options = asdict(self)
        options["min_plies"] = max(self.min_plies, 2 * options.pop("min_moves") - 1)
        return options

    def changed(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        default = asdict(PgnFilter())
        return {name: value for name, value in asdict(self).items() if value != default[name]}


def checked_month(name: str, month: str) -> str:
    """Return a month of an option, ``YYYY-MM``."""
    if not _MONTH.fullmatch(month):
        message = f"{name}={month!r}: expected a month as YYYY-MM, 01 to 12, such as 2024-05"
        raise InvalidConfig(message)
    return month
