"""Running games: :class:`GameRunner` plays turns, :func:`observe` says what a player sees."""

from phasezoo.observation.game_runner import GameRunner
from phasezoo.observation.plain import UNKNOWN, TextCode
from phasezoo.observation.turn import Ending, Turn
from phasezoo.observation.view import (
    OBSERVATIONS,
    Observation,
    View,
    info_of,
    make_view,
    mask_of,
    observation_of,
    observe,
    view_of,
)

__all__ = [
    "OBSERVATIONS",
    "UNKNOWN",
    "GameRunner",
    "Ending",
    "Turn",
    "TextCode",
    "Observation",
    "View",
    "info_of",
    "make_view",
    "mask_of",
    "observation_of",
    "observe",
    "view_of",
]
