"""Who draws a game, looked up when a picture is first asked for."""

from phasezoo.envs.rendering.painters import Painter
from phasezoo.games.base import Game

__all__ = ["painter_of"]


def painter_of(game: Game) -> Painter | None:
    """Who draws the states of a game; None for those that are text alone."""
    from phasezoo.envs.rendering.catalogue import PAINTERS  # rooms import this package's files

    return PAINTERS.get(game.state_type)
