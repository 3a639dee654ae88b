"""Other endings against a lone king, by the same search: what they start from.

The starts are those of the program of the study's author.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["ENDINGS", "KRK", "Ending", "EndingName"]

EndingName: TypeAlias = Literal["kqk", "krrk", "kbbk"]


@dataclass(frozen=True)
class Ending:
    """An ending against a lone king.

    Attributes:
        title: Who plays against whom.
        game: The game whose position it is.
        policy: The name of its rollout policy.
        start: The FEN that games start from; None: as the reading says.
        mate_in: White's moves to mate from there.
    """

    title: str
    game: str
    policy: str
    start: str | None
    mate_in: int


KRK = Ending("king and rook", "krk", "krk", None, 15)
"""The study's own."""

ENDINGS: dict[str, Ending] = {
    "kqk": Ending("king and queen", "chess", "lone-king", "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", 8),
    "krrk": Ending(
        "king and two rooks", "chess", "lone-king", "8/8/8/3k4/8/8/8/R3K2R w - - 0 1", 5
    ),
    "kbbk": Ending(
        "king and two bishops", "chess", "lone-king", "8/8/8/3k4/8/8/8/2B1KB2 w - - 0 1", 17
    ),
}
"""The others, by :data:`EndingName`."""
