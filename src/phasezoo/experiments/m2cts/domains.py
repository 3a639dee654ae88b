"""Games of the study of phase experts, a line each.

A game of two players whose games a :class:`~phasezoo.training.GameStore` can hold needs no stages
of its own: its room says which settings suit it, and
:class:`~phasezoo.experiments.two_player.study.TwoPlayerRun` does the rest. A game that is not
listed here runs with the settings of the first one, but for those that are given.
"""

from typing import Any

from phasezoo.experiments.from_scratch.config import SCRATCH
from phasezoo.experiments.pommerman.config import POMMERMAN
from phasezoo.experiments.study import Study
from phasezoo.experiments.two_player.config import (
    TWO_PLAYER,
    CurveConfig,
    M2ctsConfig,
    curve_of,
    two_player_of,
)
from phasezoo.zoo.boards.two_player import chess960_two_player, small_two_player
from phasezoo.zoo.connect_four.two_player import connect_four_curves, connect_four_two_player
from phasezoo.zoo.krk.two_player import krk_curves, krk_two_player

__all__ = ["CURVES", "DOMAINS", "SCRATCH"]

_TWO_PLAYER: dict[str, Study[M2ctsConfig]] = {
    "chess": TWO_PLAYER,
    "chess960": two_player_of("chess960", chess960_two_player()),
    "atomic": two_player_of("atomic", small_two_player()),
    "crazyhouse": two_player_of("crazyhouse", small_two_player()),
    "connect-four": two_player_of("connect-four", connect_four_two_player()),
    "krk": two_player_of("krk", krk_two_player()),
}

DOMAINS: dict[str, Study[Any]] = {**_TWO_PLAYER, "pommerman": POMMERMAN}
"""By the name that ``--game`` has; the first is the default."""

_SIZES = {"connect-four": connect_four_curves(), "krk": krk_curves()}

CURVES: dict[str, Study[CurveConfig]] = {
    name: curve_of(study, _SIZES.get(name)) for name, study in _TWO_PLAYER.items()
}
"""The same at several numbers of training positions, where games are stored."""
