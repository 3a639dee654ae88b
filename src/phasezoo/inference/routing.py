"""Which expert answers which row (``docs/definitions/routing.md``)."""

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Routing: TypeAlias = Literal["majority", "exact", "soft"]
"""How a mixture divides rows among its experts."""


def majority_winners(
    phases: npt.NDArray[np.int8], trees: npt.NDArray[np.int32], num_phases: int
) -> npt.NDArray[np.int64]:
    """Return the phase that wins the vote of each row's tree.

    Every row votes for its own phase; a tie goes to the lowest phase (M2CTS, as its engine does).
    A tree's root is always alone in its mini-batch, so it gets its own phase.

    Args:
        phases: ``int8[B]``.
        trees: ``int32[B]``.
        num_phases: How many phases there are.

    Returns:
        ``int64[B]``.
    """
    known, tree = np.unique(trees, return_inverse=True)
    votes = np.bincount(tree * num_phases + phases, minlength=len(known) * num_phases)
    winners: npt.NDArray[np.int64] = votes.reshape(len(known), num_phases).argmax(axis=1)[tree]
    return winners
