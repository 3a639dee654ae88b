"""Games of the study of phase experts, a line each.

A game of two players whose games a :class:`~phasezoo.training.GameStore` can hold needs no stages
of its own: its room says which settings suit it, and :class:`~.duel.study.DuelRun` does the rest. A
game that is not listed here runs with the settings of the first one, but for those that are given.
"""

from typing import Any

from phasezoo.experiments.m2cts.curve.config import CurveConfig, curve_of
from phasezoo.experiments.m2cts.duel.config import DUEL, M2ctsConfig, duel_of
from phasezoo.experiments.m2cts.pommerman.config import POMMERMAN
from phasezoo.experiments.m2cts.scratch.config import SCRATCH
from phasezoo.experiments.study import Study
from phasezoo.zoo.boards.duels import chess960_duels, small_duels
from phasezoo.zoo.connect_four.duels import connect_four_curves, connect_four_duels
from phasezoo.zoo.krk.duels import krk_curves, krk_duels

__all__ = ["CURVES", "DOMAINS", "SCRATCH"]

_DUELS: dict[str, Study[M2ctsConfig]] = {
    "chess": DUEL,
    "chess960": duel_of("chess960", chess960_duels()),
    "atomic": duel_of("atomic", small_duels()),
    "crazyhouse": duel_of("crazyhouse", small_duels()),
    "connect-four": duel_of("connect-four", connect_four_duels()),
    "krk": duel_of("krk", krk_duels()),
}

DOMAINS: dict[str, Study[Any]] = {**_DUELS, "pommerman": POMMERMAN}
"""By the name that ``--game`` has; the first is the default."""

_SIZES = {"connect-four": connect_four_curves(), "krk": krk_curves()}

CURVES: dict[str, Study[CurveConfig]] = {
    name: curve_of(duel, _SIZES.get(name)) for name, duel in _DUELS.items()
}
"""The same at several numbers of training positions, where games are stored."""
