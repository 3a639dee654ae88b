"""Refusing a match of games that are all the same."""

from phasezoo.arena.records import GameRecord
from phasezoo.errors import InvalidConfig

__all__ = ["Repeats"]

ENOUGH = 3
"""Groups of games without a difference after which none is expected."""


class Repeats:
    """Watches matches whose games all have the same start.

    Agents without randomness then play one game over and over; its pairs would count as many, and
    the interval would be one of width nearly zero about nothing.

    Args:
        group_size: Games of a group: the number of players.
    """

    def __init__(self, group_size: int) -> None:
        self._group_size = group_size
        self._games: dict[tuple[int, int], list[GameRecord]] = {}

    def add(self, record: GameRecord) -> None:
        """Take in a finished game.

        Raises:
            InvalidConfig: The first games of a pairing, several from each seat, are all the same.
        """
        games = self._games.setdefault(record.pairing, [])
        if len(games) >= ENOUGH * self._group_size:
            return
        games.append(record)
        if len(games) < ENOUGH * self._group_size:
            return
        different = {(game.sides, game.moves) for game in games}
        if len(different) <= self._group_size:
            message = (
                f"the first {len(games)} games from the only opening differ by seat alone: these "
                "agents play without randomness; give openings (openings=…, such as a file or a "
                f"suite of the package), or games={self._group_size}"
            )
            raise InvalidConfig(message)
