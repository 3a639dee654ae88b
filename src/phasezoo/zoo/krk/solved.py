"""Every position of the endgame, for exact answers about policies."""

from functools import cache

import numpy as np

from phasezoo import _core
from phasezoo.training.solved import SolvedPositions
from phasezoo.zoo.krk.game import KRK, LONGER_THAN_ANY_MATE

MOVES = 50
"""Moves of White in which the mate counts: after them the fifty-move rule ends the game."""


@cache
def krk_positions() -> SolvedPositions:
    """All positions with White, who has the rook, to move; Black's defence knows the policy."""
    states, offsets, actions, dtm = _core.krk_graph()
    worths = np.where(np.isinf(dtm), 0.0, LONGER_THAN_ANY_MATE - dtm.astype(np.float64))
    return SolvedPositions(
        KRK,
        states,
        offsets,
        actions,
        worths,
        kind="in which the side with the rook is to move",
        win_chances=lambda probabilities: _core.krk_mate_chances(probabilities, MOVES),
    )
