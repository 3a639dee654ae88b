"""Contents of training batches, the same for every game."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidArray
from phasezoo.games import PackedPlanes
from phasezoo.games.varlen import entries_of, offsets_of
from phasezoo.types import Planes


@dataclass(frozen=True)
class SparsePolicy:
    """A distribution over actions for each of B positions; actions left out have probability 0.

    Raises:
        InvalidArray: The columns do not fit together.
    """

    offsets: npt.NDArray[np.int64]
    """``int64[B + 1]``: position ``i`` has the entries ``offsets[i]`` to ``offsets[i + 1]``."""
    actions: npt.NDArray[np.int32]
    """``int32[P]``: the action of each entry; an action comes once at most in a position."""
    probabilities: npt.NDArray[np.float32]
    """``float32[P]``: its probability; those of a position add up to 1."""

    def __post_init__(self) -> None:
        entries = len(self.actions)
        whole = len(self.offsets) > 0 and self.offsets[0] == 0 and self.offsets[-1] == entries
        if not whole or len(self.probabilities) != entries or (np.diff(self.offsets) < 0).any():
            message = (
                f"a sparse policy of {entries} actions and {len(self.probabilities)} probabilities "
                "has other offsets: they begin at 0, never fall and end at the number of entries"
            )
            raise InvalidArray(message)

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.offsets) - 1

    def take(self, rows: npt.NDArray[np.integer]) -> "SparsePolicy":
        """Return the distributions of some of the positions, by their indices."""
        offsets, entries = entries_of(self.offsets, rows)
        return SparsePolicy(offsets, self.actions[entries], self.probabilities[entries])

    def dense(self, num_actions: int) -> npt.NDArray[np.float32]:
        """``float32[B, num_actions]``."""
        filled = np.zeros((len(self), num_actions), dtype=np.float32)
        rows = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        filled[rows, self.actions] = self.probabilities
        return filled

    def padded(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """``int64[B, K]`` actions and ``float32[B, K]`` probabilities, K the longest's entries.

        What fills the shorter ones is action 0 with probability 0.
        """
        counts = np.diff(self.offsets)
        rows = np.repeat(np.arange(len(self)), counts)
        places = np.arange(len(self.actions)) - np.repeat(self.offsets[:-1], counts)
        shape = (len(self), max(int(counts.max(initial=0)), 1))
        actions = np.zeros(shape, dtype=np.int64)
        probabilities = np.zeros(shape, dtype=np.float32)
        actions[rows, places] = self.actions
        probabilities[rows, places] = self.probabilities
        return actions, probabilities

    @classmethod
    def joined(cls, parts: "Sequence[SparsePolicy]") -> "SparsePolicy":
        """Return the distributions of several batches, one after the other."""
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            offsets_of(counts),
            np.concatenate([part.actions for part in parts]),
            np.concatenate([part.probabilities for part in parts]),
        )


@dataclass(frozen=True)
class Batch:
    """Positions with their training targets, all from the view of the player who acts."""

    planes: Planes | PackedPlanes
    """``float32[B, C, H, W]``, or packed if the sampler was asked so."""
    action: npt.NDArray[np.int64]
    """``int64[B]``: the action that was played."""
    value: npt.NDArray[np.float32]
    """``float32[B]``: how the game ended for the player to move, in [-1, 1]; in part what a search
    expected, if the store was asked to mix the two."""
    wdl: npt.NDArray[np.int64]
    """``int64[B]``: how the game ended as a class: 0 won, 1 drawn, 2 lost."""
    plies_left: npt.NDArray[np.float32]
    """``float32[B]``: plies to the end of the game; 1 before its last move. If all move at once,
    the steps."""
    phase: npt.NDArray[np.int8]
    """``int8[B]``: the phase by the gate of the position table."""
    game: npt.NDArray[np.int32]
    """``int32[B]``: index of the game in the store."""
    weight: npt.NDArray[np.float32]
    """``float32[B]``: what the losses of each position are multiplied by; 1 unless phases are
    weighed."""
    policy: SparsePolicy | None = None
    """The target distribution over actions; None: the action played, for certain."""
    values: npt.NDArray[np.float32] | None = None
    """``float32[B, players]``: how the game ended for each player: for who acts first, then for the
    others by index. None if the store does not hold it."""

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.action)

    @property
    def float_planes(self) -> Planes:
        """``float32[B, C, H, W]``, unpacked if need be."""
        return self.planes.unpack() if isinstance(self.planes, PackedPlanes) else self.planes

    def take(self, rows: npt.NDArray[np.integer]) -> Self:
        """Some of the positions, by their indices."""
        return type(self)(**{name: _taken(column, rows) for name, column in vars(self).items()})

    @classmethod
    def joined(cls, batches: "Sequence[Batch]") -> Self:
        """Return the positions of several batches of one store, one after the other."""
        columns = {}
        for field in fields(cls):
            parts: list[Any] = [getattr(batch, field.name) for batch in batches]
            columns[field.name] = _joined(parts)
        return cls(**columns)


def _taken(column: Any, rows: npt.NDArray[np.integer]) -> Any:
    if column is None:
        return None
    return column.take(rows) if isinstance(column, SparsePolicy) else column[rows]


def _joined(parts: list[Any]) -> Any:
    if parts[0] is None:
        return None
    if isinstance(parts[0], SparsePolicy | PackedPlanes):
        return type(parts[0]).joined(parts)
    return np.concatenate(parts)
