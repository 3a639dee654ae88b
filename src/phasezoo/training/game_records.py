"""Who replays stored games: the native core, or the states of a user's own game."""

import json
from typing import Any

from phasezoo import _core
from phasezoo.errors import CorruptRecord
from phasezoo.games import Game
from phasezoo.training.columns import GameColumns
from phasezoo.training.state_records import StateRecords

__all__ = ["records_of"]


def records_of(game: Game, columns: GameColumns) -> Any:
    """What replays the games.

    Raises:
        CorruptRecord: The columns do not fit together, or a start is none.
    """
    if not game.native:
        return StateRecords(game, columns)
    starts = []
    for number, start in columns.starts.items():
        if isinstance(start, bytes):
            message = f"game {number}: a start of {game.name!r} is text, and this one is pickled"
            raise CorruptRecord(message)
        starts.append((number, start))
    options = json.dumps(dict(game.options)) if game.options else None
    actions: Any = columns.actions  # the core's games have few enough for two bytes
    return _core.Records(game.name, actions, columns.offsets, starts, options)
