"""The spaces of a game's observations and actions."""

from typing import Any

import numpy as np
from gymnasium import spaces

from phasezoo import games
from phasezoo.conductor.view import View
from phasezoo.games.base import Game
from phasezoo.types import Planes

__all__ = ["action_space", "mask_space", "observation_space", "planes_of_all", "state_space"]


def action_space(game: Game) -> spaces.Space[Any]:
    """The space of one player's actions: ``MultiDiscrete`` if they have parts."""
    if game.action_parts is None:
        return spaces.Discrete(game.num_actions)
    return spaces.MultiDiscrete(np.array(game.action_parts, dtype=np.int64))


def mask_space(game: Game) -> spaces.Box:
    """The space of one player's flat mask: the masks of all parts one after the other."""
    count = game.num_actions if game.action_parts is None else sum(game.action_parts)
    return spaces.Box(0, 1, (count,), dtype=np.int8)


def observation_space(view: View) -> spaces.Space[Any]:
    """The space of what one player sees.

    The bounds of planes are those of the type: most planes are 0 or 1, but counters have no fixed
    limit.
    """
    if view.observation == "dict" and view.game.dict_space is not None:
        space: spaces.Space[Any] = view.game.dict_space(view.game)
        return space
    if view.observation == "masked":
        planes = _box(view.plane_shape)
        return spaces.Dict({"observation": planes, "action_mask": mask_space(view.game)})
    return _box((0,) if view.observation == "none" else view.plane_shape)


def state_space(view: View) -> spaces.Box:
    """The space of what all players see together, ``float32[P, C, H, W]``."""
    return _box((view.game.num_players, *view.plane_shape))


def planes_of_all(state: Any, view: View) -> Planes:
    """``float32[P, C, H, W]``: the planes of every player."""
    players = range(view.game.num_players)
    return np.stack([games.planes_of(state, view.planes, player) for player in players])


def _box(shape: tuple[int, ...]) -> spaces.Box:
    limit = float(np.finfo(np.float32).max)
    return spaces.Box(-limit, limit, shape, dtype=np.float32)
