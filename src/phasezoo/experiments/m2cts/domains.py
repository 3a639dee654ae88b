"""The games that the study of phase experts knows, a line each.

A domain is a :class:`~phasezoo.experiments.study.Study`: settings with presets, and the class of
its stages, a :class:`~.run.M2ctsRun` that says where its games come from, what its networks learn
from them, and how its agents meet. A game of two players whose games a
:class:`~phasezoo.training.GameStore` can hold needs no stages of its own: its room says which
settings suit it, and :class:`~.duel.run.DuelRun` does the rest. A game that is not listed here runs
with the settings of the first one, but for those that are given.
"""

from typing import Any

from phasezoo.experiments.m2cts.duel.domain import DUEL, duel_of
from phasezoo.experiments.m2cts.pommerman.domain import POMMERMAN
from phasezoo.experiments.m2cts.scratch.domain import SCRATCH
from phasezoo.experiments.study import Study
from phasezoo.zoo.boards.duels import chess960_duels, small_duels
from phasezoo.zoo.connect_four.duels import connect_four_duels
from phasezoo.zoo.krk.duels import krk_duels

__all__ = ["DOMAINS", "SCRATCH"]

DOMAINS: dict[str, Study[Any]] = {
    "chess": DUEL,
    "chess960": duel_of("chess960", chess960_duels()),
    "atomic": duel_of("atomic", small_duels()),
    "crazyhouse": duel_of("crazyhouse", small_duels()),
    "connect-four": duel_of("connect-four", connect_four_duels()),
    "krk": duel_of("krk", krk_duels()),
    "pommerman": POMMERMAN,
}
"""By the name that ``--game`` has; the first is the default."""
