"""Which games of PGN files are kept."""

import re
from dataclasses import asdict, dataclass
from typing import Any

from phasezoo.errors import InvalidConfig
from phasezoo.games.options import flag

__all__ = ["PgnFilter", "checked_month"]

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


@dataclass(frozen=True, kw_only=True)
class PgnFilter:
    """Which games of PGN files are kept; by default all that can be read.

    What cannot be read is skipped first, then what the options here leave out, in their order.
    """

    min_plies: int = 0
    """Skip games with fewer plies; those without moves are skipped always."""
    min_moves: int = 0
    """Skip games in which fewer moves were begun: n moves are 2n - 1 plies."""
    min_rating: int | None = None
    """Skip games in which a player has a lower rating, or none."""
    termination: str | None = None
    """Skip games whose tag Termination does not contain this word, such as normal."""
    from_month: str | None = None
    """Skip games before this month, such as 2013-01, and those that may be."""
    to_month: str | None = None
    """Skip games after this month, and those that may be."""
    deduplicate: bool = False
    """Keep only the first of games with the same start and moves."""
    top_players: float | None = None
    """Skip games in which a player is not among this share (0.1: a tenth) of the best by mean
    rating, of all players of the game in these files."""
    salvage: bool = False
    """Keep the readable moves of a damaged game, and mark it."""

    def core_options(self) -> dict[str, Any]:
        """These options as the native core takes them.

        Raises:
            InvalidConfig: A number or a month is none that makes sense.
        """
        for name in ("min_plies", "min_moves"):
            if getattr(self, name) < 0:
                message = f"{name}={getattr(self, name)}: must be 0 or more"
                raise InvalidConfig(message)
        if self.min_rating is not None and not 0 <= self.min_rating <= 9_999:
            message = f"min_rating={self.min_rating}: ratings are from 0 to 9999"
            raise InvalidConfig(message)
        if self.top_players is not None and not 0 < self.top_players <= 1:
            message = f"top_players={self.top_players}: a share is above 0 and at most 1"
            raise InvalidConfig(message)
        for name in ("from_month", "to_month"):
            if getattr(self, name) is not None:
                checked_month(name, getattr(self, name))
        if self.from_month and self.to_month and self.from_month > self.to_month:
            message = f"from_month={self.from_month} is after to_month={self.to_month}"
            raise InvalidConfig(message)
        options = asdict(self)
        options["min_plies"] = max(self.min_plies, 2 * options.pop("min_moves") - 1)
        for name in ("deduplicate", "salvage"):
            options[name] = flag(name, options[name])
        return options

    def told(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        default = asdict(PgnFilter())
        return {name: value for name, value in asdict(self).items() if value != default[name]}


def checked_month(name: str, month: str) -> str:
    """A month of an option, ``YYYY-MM``.

    Raises:
        InvalidConfig: It is none.
    """
    if not _MONTH.fullmatch(month):
        message = f"{name}={month!r}: a month is written YYYY-MM, such as 2024-05"
        raise InvalidConfig(message)
    return month
