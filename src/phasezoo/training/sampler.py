"""Training batches made on the fly: planes, the move played, the result, the phase."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from phasezoo import _core, games
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.training.positions import PositionTable
from phasezoo.training.store import GameStore

__all__ = ["Batch", "Sampler"]

_ORDER, _DROPOUT = 1, 2
"""Names of the sampler's random streams."""


@dataclass(frozen=True)
class Batch:
    """Positions with what is to be learnt from them; everything as the player to move sees it."""

    planes: npt.NDArray[np.float32]
    """``float32[B, C, 8, 8]``."""
    action: npt.NDArray[np.int64]
    """``int64[B]``: the action that was played."""
    value: npt.NDArray[np.float32]
    """``float32[B]``: how the game ended for the player to move: +1, 0 or -1."""
    wdl: npt.NDArray[np.int64]
    """``int64[B]``: the same as a class: 0 won, 1 drawn, 2 lost."""
    plies_left: npt.NDArray[np.float32]
    """``float32[B]``: plies to the end of the game; 1 before its last move."""
    phase: npt.NDArray[np.int8]
    """``int8[B]``: the phase by the gate of the position table."""
    game: npt.NDArray[np.int32]
    """``int32[B]``: index of the game in the store."""

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.action)


class Sampler:
    """Endless, seekable batches of positions, in an order that a seed fixes.

    The positions come in epochs, each with a permutation of its own in which every position comes
    once. The epochs follow each other without a gap: a batch may hold the end of one and the
    beginning of the next, and no position is dropped. Batch ``i`` is always the same, whichever
    batches were asked for before: permutations are computed place by place and need no memory.

    Args:
        store: The games.
        rows: The positions to draw, from :meth:`GameStore.positions` of the same store, which has
            checked the moves.
        planes: Which input planes.
        batch_size: Positions in a batch.
        seed: Fixes the order and the dropout.
        history_dropout: Share of positions (0 to 1) whose last moves are left out of the planes, as
            if they had been set up from a FEN; repetitions stay counted.
        threads: Threads; default all that this process may use.

    Raises:
        InvalidConfig: A number is out of range.
        InvalidPlaneSpec: The game has no such planes.
        StoreError: There are no positions.
    """

    def __init__(
        self,
        store: GameStore,
        rows: PositionTable,
        planes: str = "v2",
        batch_size: int = 512,
        seed: int = 0,
        history_dropout: float = 0.0,
        threads: int | None = None,
    ) -> None:
        if batch_size < 1:
            message = f"batch_size={batch_size}: must be 1 or more"
            raise InvalidConfig(message)
        if not 0 <= history_dropout <= 1:
            message = f"history_dropout={history_dropout}: must be from 0 to 1"
            raise InvalidConfig(message)
        if len(rows) == 0:
            message = (
                f"there are no positions to sample (gate {rows.gate!r}, {len(store)} games): use "
                "more games, another phase or another gate"
            )
            raise StoreError(message)
        self.store = store
        self.rows = rows
        self.plane_spec = planes
        self.plane_shape = games.make(store.variant).plane_shape(planes)
        self.batch_size = batch_size
        self.seed = seed
        self.history_dropout = history_dropout
        self._threads = threads

    def __iter__(self) -> Iterator[Batch]:
        """All batches from the first on, without end."""
        index = 0
        while True:
            yield self.batch(index)
            index += 1

    def epochs(self, batches: int) -> float:
        """How often the positions have been gone through after ``batches`` batches."""
        return batches * self.batch_size / len(self.rows)

    def batch(self, index: int) -> Batch:
        """Batch ``index``, from 0.

        Raises:
            CorruptRecord: A game cannot be replayed.
            InvalidConfig: ``index`` is negative.
        """
        rows = self.batch_rows(index)
        hidden = None
        if self.history_dropout > 0:
            stream = np.random.default_rng([_DROPOUT, *_words(self.seed), index])
            hidden = stream.random(len(rows)) < self.history_dropout
        return self.make(rows, hidden)

    def batch_rows(self, index: int) -> npt.NDArray[np.int64]:
        """``int64[B]``: which rows of the table are in batch ``index``.

        Raises:
            InvalidConfig: ``index`` is negative.
        """
        if index < 0:
            message = f"batch {index}: batches are counted from 0"
            raise InvalidConfig(message)
        parts = []
        epoch, place = divmod(index * self.batch_size, len(self.rows))
        missing = self.batch_size
        while missing > 0:
            count = min(missing, len(self.rows) - place)
            parts.append(_core.permuted(len(self.rows), self._epoch_seed(epoch), place, count))
            missing -= count
            epoch, place = epoch + 1, 0
        return np.concatenate(parts)

    def in_order(self, batch_size: int | None = None) -> Iterator[Batch]:
        """Every position once, in the table's order, history shown; the last batch is shorter.

        Args:
            batch_size: Positions in a batch; default the sampler's own.
        """
        size = self.batch_size if batch_size is None else batch_size
        for first in range(0, len(self.rows), size):
            yield self.make(np.arange(first, min(first + size, len(self.rows))))

    def make(
        self, rows: npt.NDArray[np.int64], hidden: npt.NDArray[np.bool_] | None = None
    ) -> Batch:
        """The batch of some rows of the table.

        Args:
            rows: ``int64[B]``: indices into the position table.
            hidden: ``bool[B]``: whose last moves are left out of the planes; None: nobody's.
        """
        count = len(rows)
        game, ply = self.rows.game[rows], self.rows.ply[rows]
        planes = np.empty((count, *self.plane_shape), dtype=np.float32)
        action = np.empty(count, dtype=np.int64)
        to_play = np.empty(count, dtype=np.int8)
        plies_left = np.empty(count, dtype=np.float32)
        self.store.records.sample(
            game, ply, self.plane_spec, planes, action, to_play, plies_left, hidden, self._threads
        )
        value = self.store.result[game] * (1 - 2 * to_play)
        return Batch(
            planes=planes,
            action=action,
            value=value.astype(np.float32),
            wdl=1 - value.astype(np.int64),
            plies_left=plies_left,
            phase=self.rows.phase[rows],
            game=game,
        )

    def _epoch_seed(self, epoch: int) -> int:
        sequence = np.random.SeedSequence([_ORDER, *_words(self.seed), epoch])
        return int(sequence.generate_state(1, np.uint64)[0])


def _words(seed: int) -> list[int]:
    """A seed of any size and sign as words that a seed sequence takes."""
    return [abs(int(seed)), int(seed < 0)]
