"""Planes of a user's own game, which are dear to make, kept as far as memory allows."""

import numpy as np
import numpy.typing as npt

__all__ = ["KnownPlanes"]


class KnownPlanes:
    """Planes of decisions, made once and read after that; the memory is taken as it is filled.

    Args:
        entries: How many decisions there are.
        shape: Channels, height and width.
    """

    def __init__(self, entries: int, shape: tuple[int, ...]) -> None:
        self._planes = np.empty((entries, *shape), dtype=np.float32)
        self._is_known = np.zeros(entries, dtype=np.bool_)

    def missing(self, decisions: npt.NDArray[np.int64]) -> list[int]:
        """Which of these are not known yet, each once."""
        unknown = np.flatnonzero(~self._is_known[decisions])
        _, first = np.unique(decisions[unknown], return_index=True)
        rows: list[int] = unknown[first].tolist()
        return rows

    def keep(self, decisions: npt.NDArray[np.int64], planes: npt.NDArray[np.float32]) -> None:
        """Remember the planes ``float32[B, C, H, W]`` of some decisions."""
        self._planes[decisions] = planes
        self._is_known[decisions] = True

    def read(self, decisions: npt.NDArray[np.int64], out: npt.NDArray[np.float32]) -> None:
        """Write the planes of some decisions, all known, to ``out``."""
        np.take(self._planes, decisions, axis=0, out=out)
