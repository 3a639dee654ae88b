"""The games that the study of phase experts knows, a line each.

A domain is a :class:`~phasezoo.experiments.study.Study`: settings with presets, and the class of
its stages, a :class:`~.run.M2ctsRun` that says where its games come from, what its networks learn
from them, and how its agents meet. A game of two players whose games a
:class:`~phasezoo.training.GameStore` can hold needs no stages of its own: its presets name it, and
:class:`~.duel.run.DuelRun` does the rest.
"""

from typing import Any

from phasezoo.experiments.m2cts.duel.domain import CHESS
from phasezoo.experiments.m2cts.pommerman.domain import POMMERMAN
from phasezoo.experiments.m2cts.scratch.domain import SCRATCH
from phasezoo.experiments.study import Study

__all__ = ["DOMAINS", "SCRATCH"]

DOMAINS: dict[str, Study[Any]] = {
    "chess": CHESS,
    "pommerman": POMMERMAN,
}
"""By the name that ``--game`` has; the first is the default."""
