"""Games: their states, action spaces and planes, and a registry for games of one's own."""

from phasezoo.games.base import Game
from phasezoo.games.pommerman_observation import pommerman_observation
from phasezoo.games.queries import (
    acting_players,
    action_mask,
    encode,
    legal_actions_of,
    planes_of,
)
from phasezoo.games.registry import game_of, make, names, register
from phasezoo.types import SIMULTANEOUS

__all__ = [
    "SIMULTANEOUS",
    "Game",
    "acting_players",
    "action_mask",
    "encode",
    "game_of",
    "legal_actions_of",
    "make",
    "names",
    "planes_of",
    "pommerman_observation",
    "register",
]
