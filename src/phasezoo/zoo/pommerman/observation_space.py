"""The space of the dictionaries that agents for the original Pommerman are shown."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from phasezoo.games.base import Game
from phasezoo.pommerman_compat.constants import GameType, Item
from phasezoo.zoo.pommerman.observation import pommerman_observation

WORDS = 8
"""Words there are with a radio; 0 says nothing."""
CODES = {item.value for item in Item}
PLAYERS = (Item.Agent0, Item.Agent1, Item.Agent2, Item.Agent3)


class PommermanDictSpace(spaces.Space[dict[str, Any]]):
    """Space of :func:`~phasezoo.games.pommerman_observation`: its keys, lists, arrays and enums.

    Args:
        game: One of Pommerman's.
        seed: Seeds :meth:`sample`.
    """

    def __init__(self, game: Game, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)
        self._game = game
        self._first = pommerman_observation(game.initial_state(seed=0), 0)

    @property
    def is_np_flattenable(self) -> bool:
        """Enums and lists make no array."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """Return the observation of one of the players where a game starts, drawn at random."""
        state = self._game.initial_state(seed=int(self.np_random.integers(1 << 31)))
        return pommerman_observation(state, int(self.np_random.integers(self._game.num_players)))

    def contains(self, x: Any) -> bool:
        """Whether the original could show ``x``, by its keys and their types and ranges."""
        if not isinstance(x, dict) or x.keys() != self._first.keys():
            return False
        size = len(self._first["board"])
        checks: Mapping[str, Callable[[Any], bool]] = {
            "alive": lambda value: _is_list(value, int) and set(value) <= _numbers(PLAYERS),
            "board": lambda value: _is_map(value, size, np.uint8) and set(value.flat) <= CODES,
            "bomb_blast_strength": lambda value: _is_map(value, size, np.float64),
            "bomb_life": lambda value: _is_map(value, size, np.float64),
            "bomb_moving_direction": lambda value: (
                _is_map(value, size, np.float64) and set(value.flat) <= {0, 1, 2, 3, 4}
            ),
            "flame_life": lambda value: _is_map(value, size, np.float64),
            "game_type": lambda value: (
                value == self._first["game_type"] and value in _numbers(GameType)
            ),
            "game_env": lambda value: isinstance(value, str),
            "position": lambda value: _is_pair(value, size),
            "blast_strength": _is_count,
            "can_kick": lambda value: isinstance(value, bool),
            "teammate": lambda value: isinstance(value, Item),
            "ammo": _is_count,
            "enemies": lambda value: _is_list(value, Item),
            "step_count": _is_count,
            "message": lambda value: _is_pair(value, WORDS),
        }
        return all(checks[key](value) for key, value in x.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PommermanDictSpace) and self._game == other._game

    def __hash__(self) -> int:
        return hash((type(self), self._game.name))

    def __repr__(self) -> str:
        return f"PommermanDictSpace({self._game.name!r})"


def _numbers(members: Any) -> set[int]:
    return {member.value for member in members}


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


def _is_map(value: Any, size: int, dtype: Any) -> bool:
    is_array = isinstance(value, np.ndarray)
    return is_array and value.shape == (size, size) and value.dtype == dtype


def _is_pair(value: Any, below: int) -> bool:
    """Two whole numbers from 0 up to ``below``."""
    is_pair = isinstance(value, tuple) and len(value) == 2
    return is_pair and all(_is_count(each) and each < below for each in value)
