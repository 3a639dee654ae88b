"""Games: their states, action spaces and planes, and a registry for games of one's own."""

from typing import TYPE_CHECKING, Any

from phasezoo.games.base import Game
from phasezoo.games.checker import check
from phasezoo.games.packed import PackedPlanes, PlaneLayout as PlaneLayout
from phasezoo.games.queries import (
    acting_players,
    action_mask,
    encode,
    legal_actions_of,
    planes_of,
)
from phasezoo.games.registry import game_of, make, names, register, spec_of
from phasezoo.types import SIMULTANEOUS

if TYPE_CHECKING:
    from phasezoo.games.catalogue import pommerman_observation

__all__ = [
    "SIMULTANEOUS",
    "Game",
    "PackedPlanes",
    "acting_players",
    "action_mask",
    "check",
    "encode",
    "game_of",
    "legal_actions_of",
    "make",
    "names",
    "planes_of",
    "pommerman_observation",
    "register",
    "spec_of",
]


def __getattr__(name: str) -> Any:
    """Load the package's games on demand: games import files of this package."""
    from importlib import import_module

    if name in __all__:
        return getattr(import_module("phasezoo.games.catalogue"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
