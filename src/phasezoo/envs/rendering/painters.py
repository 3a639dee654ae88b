"""Which games can be drawn, and by what."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import _core
from phasezoo.envs.rendering.arena import Arena, arena_of
from phasezoo.envs.rendering.arena_sketch import arena_sketch
from phasezoo.envs.rendering.arena_text import arena_text
from phasezoo.envs.rendering.document import Drawing
from phasezoo.envs.rendering.drawing import drawing
from phasezoo.envs.rendering.picture import picture
from phasezoo.envs.rendering.scene import Scene, scene_of
from phasezoo.envs.rendering.stamping import drawn, stamped
from phasezoo.envs.rendering.text import text
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game

__all__ = ["Painter", "check_player", "painter_of"]

Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Painter:
    """Draws the states of one kind of game."""

    scene: Callable[[Any, int | None, bool], Any]
    """What there is to draw of a state, seen by a player, or flipped; the others take it."""
    text: Callable[[Any], str]
    drawing: Callable[[Any], Drawing]
    picture: Callable[[Any], Picture]


def painter_of(game: Game) -> Painter | None:
    """Who draws the states of a game; None for those that are text alone."""
    return _PAINTERS.get(game.state_type)


def check_player(game: Game, player: int | None) -> None:
    """Make sure that a game has the player who is to look at it.

    Raises:
        InvalidConfig: It has not.
    """
    if player is not None and player not in range(game.num_players):
        message = (
            f"player={player!r}: {game.name} has the players 0 to {game.num_players - 1}; "
            "None sees everything"
        )
        raise InvalidConfig(message)


def _scene(state: Any, player: int | None, flipped: bool) -> Scene:
    return scene_of(state, flipped=flipped or player == 1)


def _arena(state: Any, player: int | None, flipped: bool) -> Arena:
    return arena_of(state, player)  # everybody looks at the board the same way round


_PAINTERS: dict[Any, Painter] = {
    _core.BoardState: Painter(_scene, text, drawing, picture),
    _core.PommermanState: Painter(
        _arena,
        arena_text,
        lambda arena: drawn(arena_sketch(arena)),
        lambda arena: stamped(arena_sketch(arena)),
    ),
}
