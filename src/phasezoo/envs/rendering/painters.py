"""Who draws the states of a game."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.envs.rendering.document import Drawing
from phasezoo.errors import InvalidConfig
from phasezoo.games.base import Game

Picture = npt.NDArray[np.uint8]
"""``uint8[512, 512, 3]``."""


@dataclass(frozen=True)
class Painter:
    """Draws the states of one kind of game."""

    scene: Callable[[Any, int | None, bool], Any]
    """Makes the scene of a state, seen by a player, or flipped; the others take it."""
    text: Callable[[Any], str]
    drawing: Callable[[Any], Drawing]
    picture: Callable[[Any], Picture]


def check_player(game: Game, player: int | None) -> None:
    """Make sure that a game has the player who is to look at it."""
    if player is not None and player not in range(game.num_players):
        message = (
            f"player={player!r}: {game.name} has the players 0 to {game.num_players - 1}; "
            "None sees everything"
        )
        raise InvalidConfig(message)
