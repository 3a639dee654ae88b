"""The spaces of a game's observations and actions."""

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from phasezoo import games
from phasezoo.envs.packed_space import packed_space
from phasezoo.errors import InvalidArray
from phasezoo.observation.view import View
from phasezoo.types import Planes


class ActionParts(spaces.MultiDiscrete[np.int64]):
    """Actions of several parts: a ``MultiDiscrete`` that samples by a flat mask too.

    PettingZoo's infos hold the masks of all parts as one vector, and PettingZoo's tests sample with
    what they find there. ``MultiDiscrete`` takes only a tuple.
    """

    def sample(self, mask: Any = None, probability: Any = None) -> npt.NDArray[np.int64]:
        """Draw an action."""
        return super().sample(
            self._by_part("mask", mask), self._by_part("probability", probability)
        )

    def _by_part(self, name: str, given: Any) -> Any:
        if not isinstance(given, np.ndarray):
            return given  # MultiDiscrete checks tuples, and refuses the rest
        if given.shape != (self.nvec.sum(),):
            message = (
                f"{name}= is {given.dtype}{list(given.shape)}: expected "
                f"[{self.nvec.sum()}], those of parts of {self.nvec.tolist()} choices one after "
                "the other, or a tuple with one for each part"
            )
            raise InvalidArray(message)
        return tuple(np.split(given, np.cumsum(self.nvec)[:-1]))


def action_space(view: View) -> spaces.Space[Any]:
    """The space of one player's actions: ``MultiDiscrete`` if they have parts."""
    parts = view.game.action_parts
    if parts is None:
        return spaces.Discrete(num_actions(view))
    return ActionParts(np.array(parts, dtype=np.int64))


def mask_space(view: View) -> spaces.Box:
    """The space of one player's flat mask: the masks of all parts one after the other."""
    parts = view.game.action_parts
    return spaces.Box(0, 1, (num_actions(view) if parts is None else sum(parts),), dtype=np.int8)


def num_actions(view: View) -> int:
    """The size of the action space as the player is shown it."""
    return view.game.num_compact if view.compact else view.game.num_actions


def observation_space(view: View) -> spaces.Space[Any]:
    """The space of what one player sees, planes within their bounds.

    Counters without a limit, and planes of games of one's own, are bounded by their type alone.
    """
    if view.observation == "dict" and view.game.dict_space is not None:
        space: spaces.Space[Any] = view.game.dict_space(view.game)
        return space
    if view.observation == "none":
        return spaces.Box(0.0, 1.0, (0,), dtype=np.float32)
    planes = packed_space(view) if view.packed else _planes(view)
    if view.observation == "masked":
        return spaces.Dict({"observation": planes, "action_mask": mask_space(view)})
    return planes


def state_space(view: View) -> spaces.Box:
    """The space of what all players see together, ``float32[P, C, H, W]``."""
    return _planes(view, view.game.num_players)


def planes_of_all(state: Any, view: View) -> Planes:
    """``float32[P, C, H, W]``: the planes of every player."""
    players = range(view.game.num_players)
    return np.stack([games.planes_of(state, view.planes, player) for player in players])


def _planes(view: View, *players: int) -> spaces.Box:
    """The space of planes, or of those of several players."""
    shape = (*players, *view.plane_shape)
    low, high = (
        np.broadcast_to(bound[:, None, None], shape) for bound in view.game.bounds(view.planes)
    )
    return spaces.Box(low, high, dtype=np.float32)
