"""The conductor: leads a game from moment to moment, and says what each player is told of it."""

from phasezoo.observation.game_runner import Conductor
from phasezoo.observation.plain import UNKNOWN, TextCode
from phasezoo.observation.turn import Ending, Moment
from phasezoo.observation.view import (
    OBSERVATIONS,
    Told,
    View,
    info_of,
    make_view,
    mask_of,
    observe,
    told,
    view_of,
)

__all__ = [
    "OBSERVATIONS",
    "UNKNOWN",
    "Conductor",
    "Ending",
    "Moment",
    "TextCode",
    "Told",
    "View",
    "info_of",
    "make_view",
    "mask_of",
    "observe",
    "told",
    "view_of",
]
