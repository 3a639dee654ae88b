"""Compact actions: few indices for games with few moves in a large action space.

A compact index means the same kind of move in every position, but another action of the game where
pieces stand elsewhere (``docs/definitions/actions.md#compact-actions``).
"""

from typing import Any

from phasezoo.errors import IllegalAction, InvalidConfig
from phasezoo.games.base import Game
from phasezoo.games.options import flag
from phasezoo.observation.action_parts import index_of
from phasezoo.types import ActionMask, Actions


def check_compact(game: Game, compact: Any) -> bool:
    """The option ``compact_actions=``, if the game knows it."""
    if flag("compact_actions", compact) and game.compact_actions is None:
        message = (
            f"compact_actions=True: the actions of {game.name!r} have no compact form; leave it out"
        )
        raise InvalidConfig(message)
    return bool(compact)


def action_of_compact(game: Game, state: Any, index: Any) -> int:
    """The game's own action that a compact index means in ``state``; -1 if it means none."""
    number = index_of(index, game.num_compact, None)
    if number is None:
        message = f"action {index!r}: expected a whole number from 0 to {game.num_compact - 1}"
        raise IllegalAction(message)
    return int(_table(game, state)[number])


def compact_mask(game: Game, state: Any, mask: ActionMask) -> ActionMask:
    """``int8[num_compact]``: 1 if the action that an index means has a 1 in ``mask``."""
    table = _table(game, state)
    shown: ActionMask = mask[table]
    shown[table < 0] = 0
    return shown


def _table(game: Game, state: Any) -> Actions:
    table: Actions = game.compact_actions(state)  # type: ignore[misc]  # checked when options are
    return table
