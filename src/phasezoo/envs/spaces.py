"""The spaces of a game's observations and actions."""

from typing import Any

import numpy as np
from gymnasium import spaces

from phasezoo.conductor.view import View
from phasezoo.games.base import Game

__all__ = ["action_space", "observation_space"]


def action_space(game: Game) -> spaces.Space[Any]:
    """The space of one player's actions: ``MultiDiscrete`` if they have parts."""
    if game.action_parts is None:
        return spaces.Discrete(game.num_actions)
    return spaces.MultiDiscrete(np.array(game.action_parts, dtype=np.int64))


def observation_space(view: View) -> spaces.Space[Any]:
    """The space of what one player sees.

    The bounds of planes are those of the type: most planes are 0 or 1, but counters have no fixed
    limit.
    """
    limit = float(np.finfo(np.float32).max)
    shape = (0,) if view.observation == "none" else view.plane_shape
    return spaces.Box(-limit, limit, shape, dtype=np.float32)
