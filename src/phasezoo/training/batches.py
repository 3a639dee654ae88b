"""What training batches hold, whatever game they are of."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Batch"]


@dataclass(frozen=True)
class Batch:
    """Positions with what is to be learnt from them; everything as the player to move sees it."""

    planes: npt.NDArray[np.float32]
    """``float32[B, C, H, W]``."""
    action: npt.NDArray[np.int64]
    """``int64[B]``: the action that was played."""
    value: npt.NDArray[np.float32]
    """``float32[B]``: how the game ended for the player to move: +1, 0 or -1."""
    wdl: npt.NDArray[np.int64]
    """``int64[B]``: the same as a class: 0 won, 1 drawn, 2 lost."""
    plies_left: npt.NDArray[np.float32]
    """``float32[B]``: plies to the end of the game; 1 before its last move. If all move at once,
    the steps."""
    phase: npt.NDArray[np.int8]
    """``int8[B]``: the phase by the gate of the position table."""
    game: npt.NDArray[np.int32]
    """``int32[B]``: index of the game in the store."""

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.action)
