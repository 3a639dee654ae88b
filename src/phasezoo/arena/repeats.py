"""Refusing a match of games that are all the same."""

from phasezoo.arena.openings import OpeningSuite
from phasezoo.arena.records import GameRecord
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game

__all__ = ["Repeats"]

ENOUGH = 3
"""Groups of games without a difference after which none is expected."""


class Repeats:
    """Watches matches whose games all have the same start.

    Agents without randomness then play one game over and over; its pairs would count as many, and
    the interval would be one of width nearly zero about nothing.

    Args:
        game: What is played.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._group_size = game.num_players
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
                f"agents play without randomness; give openings, such as {self._openings()}, or "
                f"play {self._group_size} games"
            )
            raise InvalidConfig(message)

    def _openings(self) -> str:
        """What could be given as openings."""
        suites = OpeningSuite.names(self._game.name)
        named = f"the suite {' or '.join(map(repr, suites))}, " if suites else ""
        return f"{named}a file or a list of moves"
