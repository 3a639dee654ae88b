"""Which player the learner is."""

from typing import Any

import numpy as np

from phasezoo._core import Stream
from phasezoo.errors import InvalidConfig

COLORS = {"white": 0, "black": 1}
"""Names of the players in games of two."""

LearnerOption = int | str
"""A player's index, ``"alternate"`` or ``"random"``."""


def learner_of(agent_color: Any, num_players: int, *, name: str = "agent_color") -> LearnerOption:
    """Return the player that ``agent_color=`` names."""
    if agent_color in ("alternate", "random"):
        return str(agent_color)
    if num_players == 2 and agent_color in COLORS:
        return COLORS[agent_color]
    is_index = isinstance(agent_color, int | np.integer) and not isinstance(agent_color, bool)
    if is_index and 0 <= agent_color < num_players:
        return int(agent_color)
    colors = "'white', 'black', " if num_players == 2 else ""
    message = (
        f"{name}={agent_color!r}: expected {colors}'alternate', 'random', or the index of a "
        f"player, 0 to {num_players - 1}"
    )
    raise InvalidConfig(message)


def learner_in_game(option: LearnerOption, game: int, seed: int, num_players: int) -> int:
    """Return the learner's index in one game."""
    if option == "alternate":
        return game % num_players
    if option == "random":
        return Stream(seed, "seat").below(num_players)
    return int(option)
