"""Who draws a game, looked up when a picture is first asked for, and what its moves are called."""

from typing import Any

from phasezoo.envs.rendering.painters import Painter
from phasezoo.envs.rendering.pointing import Pointing
from phasezoo.games.base import Game


def painter_of(game: Game) -> Painter | None:
    """Who draws the states of a game; None for those that are text alone."""
    from phasezoo.envs.rendering.catalogue import PAINTERS  # rooms import this package's files

    return PAINTERS.get(game.state_type)


def pointing_of(game: Game) -> Pointing | None:
    """How the pictures of a game are played on; None for games of one's own."""
    return _pointing(game.state_type)


def _pointing(kind: type) -> Pointing | None:
    from phasezoo.envs.rendering.catalogue import POINTINGS  # rooms import this package's files

    return POINTINGS.get(kind)


def name_of(state: Any, action: int) -> str:
    """The name of an action, as pictures and people have it; its number if it has none."""
    pointing = _pointing(type(state))
    if pointing is not None:
        return pointing.name(state, int(action))
    own = getattr(state, "action_name", None)
    return str(own(int(action)) if callable(own) else action)


def sides_of(game: Game) -> list[str]:
    """The names of the players."""
    pointing = pointing_of(game)
    if pointing is not None and pointing.sides:
        return list(pointing.sides)
    return [f"Player {number}" for number in range(game.num_players)]
