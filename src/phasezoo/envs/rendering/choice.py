"""Who draws a game, looked up when a picture is first asked for."""

from phasezoo.envs.rendering.painters import Painter
from phasezoo.envs.rendering.pointing import Pointing
from phasezoo.games.base import Game


def painter_of(game: Game) -> Painter | None:
    """Who draws the states of a game; None for those that are text alone."""
    from phasezoo.envs.rendering.catalogue import PAINTERS  # rooms import this package's files

    return PAINTERS.get(game.state_type)


def pointing_of(game: Game) -> Pointing | None:
    """How the pictures of a game are played on; None for games of one's own."""
    from phasezoo.envs.rendering.catalogue import POINTINGS  # rooms import this package's files

    return POINTINGS.get(game.state_type)
