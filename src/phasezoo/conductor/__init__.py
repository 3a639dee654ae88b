"""The conductor: leads a game from moment to moment, and says what each player is told of it."""

from phasezoo.conductor.conductor import Conductor
from phasezoo.conductor.moment import Ending, Moment
from phasezoo.conductor.plain import UNKNOWN, TextCode
from phasezoo.conductor.view import (
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
