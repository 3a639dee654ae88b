"""Oracles: who knows what some positions are worth, such as endgame tables."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from phasezoo.inference.evaluator import Evaluation, Floats, Leaves

__all__ = ["ORACLE_PLIES", "Known", "Oracle", "with_known"]


ORACLE_PLIES = 1000
"""Plies to an end that is known to come, nobody knows when: more than a search proves by itself."""


@dataclass(frozen=True, eq=False)
class Known:
    """What an oracle knows of B leaves."""

    rows: npt.NDArray[np.bool_]
    """``bool[B]``: of which it knows something."""
    values: Floats
    """``float32[B]`` in [-1, 1], for the player to move; of the others anything."""
    plies: npt.NDArray[np.int32]
    """``int32[B]``: where the value is exact, the plies to the end of the game, or
    :data:`ORACLE_PLIES`; -1 elsewhere."""


@runtime_checkable
class Oracle(Protocol):
    """Knows the values of some positions, and which actions keep them."""

    def look(self, leaves: Leaves) -> Known | None:
        """What it knows of ``leaves``; None: nothing."""

    def root_actions(self, state: Any) -> npt.NDArray[np.int64] | None:
        """The actions of ``state`` that are worth playing; None: it does not know."""


def with_known(known: Known, evaluation: Evaluation) -> Evaluation:
    """An evaluation of the same leaves, its values those that are known where they are.

    ``wdl`` is left out, since values count before it.
    """
    values = evaluation.values()
    told = known.values if values.ndim == 1 else known.values[:, None]
    rows = known.rows if values.ndim == 1 else known.rows[:, None]
    return Evaluation(
        policy_logits=evaluation.policy_logits,
        legal_logits=evaluation.legal_logits,
        value=np.where(rows, told, values).astype(np.float32),
        plies_left=evaluation.plies_left,
        spent=evaluation.spent,
    )
