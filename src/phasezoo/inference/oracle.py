"""Oracles: who knows what some positions are worth, such as endgame tables."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidEvaluation
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
    :data:`ORACLE_PLIES`; -1 elsewhere, and of rows of which it knows nothing anything."""

    def __post_init__(self) -> None:
        try:
            rows = np.asarray(self.rows, dtype=np.bool_)
            values = np.asarray(self.values, dtype=np.float32)
            plies = np.asarray(self.plies).astype(np.int64, casting="same_kind")
        except (TypeError, ValueError) as error:
            message = (
                f"what an oracle knows: {error}; expected arrays bool[B], float32[B], int32[B]"
            )
            raise InvalidEvaluation(message) from error
        if rows.ndim != 1 or values.shape != rows.shape or plies.shape != rows.shape:
            message = (
                f"what an oracle knows: rows {rows.shape}, values {values.shape}, plies "
                f"{plies.shape}; expected an entry for each leaf in each"
            )
            raise InvalidEvaluation(message)
        # What is not known proves nothing.
        plies = np.where(rows, np.clip(plies, -1, 65_535), -1).astype(np.int32)
        for name, value in (("rows", rows), ("values", values), ("plies", plies)):
            object.__setattr__(self, name, value)


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
