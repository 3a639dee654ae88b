"""Results as rows of tables of other programs."""

from collections.abc import Mapping, Sequence
from typing import Any

from phasezoo.arena.records import GameRecord
from phasezoo.arena.statistics.intervals import finite


def rows_of_games(games: Sequence[GameRecord], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each game, with who played, what they scored, and how it ended."""
    return [
        {
            "number": record.number,
            "first": names[record.pairing[0]],
            "second": names[record.pairing[1]],
            "score": record.score,
            "players": tuple(names[agent] for agent in record.agents),
            "result": record.result,
            "reason": record.reason,
            "ending": record.ending,
            "plies": record.plies,
            "seconds": record.seconds or None,
            "group": record.group,
            "opening": record.opening,
            "opening_moves": " ".join(record.opening_moves),
            "start_fen": record.start_fen,
            "moves": " ".join(record.moves),
        }
        for record in games
    ]


def without_infinite(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row for JSON and CSV, which have no infinite numbers: they are None."""
    return {key: finite(cell) if isinstance(cell, float) else cell for key, cell in row.items()}
