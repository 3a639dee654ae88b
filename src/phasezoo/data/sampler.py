"""Training batches made on the fly: planes, the move played, the result, the phase."""

import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from phasezoo import _core
from phasezoo.data.batches import Batch
from phasezoo.data.positions import PositionTable
from phasezoo.data.splits import PositionStore, seed_words
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.games.options import flag
from phasezoo.specs import PositiveInt, Share, check_value

_ORDER, _DROPOUT, _SYMMETRY = 1, 2, 3
"""Names of the sampler's random streams."""

_TOO_MANY = 1 << 63
"""For the core's integers."""


class Sampler:
    """Endless, seekable batches of positions, in an order that a seed fixes.

    The positions come in epochs, each with a permutation of its own in which every position comes
    once. The epochs follow each other without a gap: a batch may hold the end of one and the
    beginning of the next, and no position is dropped. Batch ``i`` is always the same, whichever
    batches were asked for before: permutations are computed place by place and need no memory.

    Args:
        store: The games.
        rows: The positions to draw, from ``positions`` of the same store.
        planes: Which input planes; None: the game's default.
        batch_size: Positions in a batch.
        seed: Fixes the order, the dropout and the symmetries.
        history_dropout: Share of positions (0 to 1) whose last moves are left out of the planes, as
            if they had been set up from a FEN; repetitions stay counted.
        symmetries: Whether each position is turned by a symmetry drawn for it, if the store has
            any; not those of :meth:`in_order`.
        threads: Threads; default all that this process may use.
        history: How many of the last moves the planes show; None: as ``planes`` says, else all.
        value_mix: Share (0 to 1) of what searches expected in the values; the rest is how the game
            ended.
        weights: ``float32[n]``: what positions of each phase of the table's gate count in the
            losses, 0 or more; None: 1 everywhere.
        packed: Whether the planes come packed (``docs/definitions/planes.md#packed-planes``), for
            networks on other devices than the CPU.

    Raises:
        InvalidConfig: A number is out of range, or there is no history to leave out.
        InvalidPlaneSpec: The game has no such planes, or they do not show so many moves.
        StoreError: There are no positions.
    """

    def __init__(
        self,
        store: PositionStore,
        rows: PositionTable,
        planes: str | None = None,
        batch_size: int = 512,
        seed: int = 0,
        history_dropout: float = 0.0,
        symmetries: bool = False,
        threads: int | None = None,
        history: int | None = None,
        value_mix: float = 0.0,
        weights: npt.ArrayLike | None = None,
        packed: bool = False,
    ) -> None:
        check_value("batch_size", PositiveInt, batch_size)
        check_value("history_dropout", Share, history_dropout)
        check_value("value_mix", Share, value_mix)
        if value_mix > 0 and not store.has_values:
            message = f"value_mix={value_mix}: the games tell no values of searches; use 0"
            raise InvalidConfig(message)
        if history_dropout > 0 and not store.has_history:
            message = (
                f"history_dropout={history_dropout}: planes of {store.variant} show no last moves "
                "that could be left out; use 0"
            )
            raise InvalidConfig(message)
        if len(rows) == 0:
            message = (
                f"there are no positions to sample (gate {rows.gate!r}, {len(store)} games): use "
                "more games, another phase or another gate"
            )
            raise StoreError(message)
        self.store = store
        self.rows = rows
        self.plane_spec = store.game.plane_spec(planes, history)
        self.plane_shape = store.game.plane_shape(self.plane_spec)
        _check_size(batch_size, self.plane_shape)
        self.batch_size = batch_size
        self.seed = seed
        self.history_dropout = history_dropout
        self.value_mix = value_mix
        self.symmetries = flag("symmetries", symmetries) and store.num_symmetries > 1
        self.weights = None if weights is None else _phase_weights(weights, rows)
        self.packed = flag("packed", packed)
        self._threads = threads

    def like(self, store: PositionStore, rows: PositionTable, batch_size: int, seed: int) -> Self:
        """Return a sampler of other games whose batches are made as these are.

        Args:
            store: The games; what these lack, values of searches or last moves, is left out.
            rows: The positions to draw.
            batch_size: Positions in a batch.
            seed: Fixes the order.

        Raises:
            InvalidConfig: A number is out of range.
            StoreError: There are no positions.
        """
        return type(self)(
            store,
            rows,
            self.plane_spec,
            batch_size,
            seed,
            self.history_dropout if store.has_history else 0.0,
            self.symmetries,
            threads=self._threads,
            value_mix=self.value_mix if store.has_values else 0.0,
            weights=self.weights,
            packed=self.packed,
        )

    def __iter__(self) -> Iterator[Batch]:
        """Yield all batches from the first on, without end."""
        index = 0
        while True:
            yield self.batch(index)
            index += 1

    def epochs(self, batches: int) -> float:
        """Return how often the positions have been gone through after ``batches`` batches."""
        return batches * self.batch_size / len(self.rows)

    def batch(self, index: int, places: npt.NDArray[np.int64] | None = None) -> Batch:
        """Batch ``index``, from 0.

        Args:
            index: Which batch.
            places: ``int64[M]``: only the positions at these places of it; None: all of them.

        Raises:
            CorruptRecord: A game cannot be replayed.
            InvalidConfig: ``index`` is negative.
        """
        rows = self.batch_rows(index)
        hidden = turned = None
        if self.history_dropout > 0:
            hidden = self._stream(_DROPOUT, index).random(len(rows)) < self.history_dropout
        if self.symmetries:
            known = self.store.num_symmetries
            turned = self._stream(_SYMMETRY, index).integers(known, size=len(rows), dtype=np.uint8)
        if places is None:
            return self.make(rows, hidden, turned)
        hidden = None if hidden is None else hidden[places]
        return self.make(rows[places], hidden, None if turned is None else turned[places])

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

    def shown(self, positions: int) -> npt.NDArray[np.int64]:
        """``int64[positions]``: which rows of the table the first so many positions are.

        Args:
            positions: How many, 1 or more.
        """
        batches = range(-(-positions // self.batch_size))
        return np.concatenate([self.batch_rows(index) for index in batches])[:positions]

    def in_order(self, batch_size: int | None = None) -> Iterator[Batch]:
        """Yield every position once, in the table's order, as it is; the last batch is shorter.

        Args:
            batch_size: Positions in a batch; default the sampler's own.
        """
        size = self.batch_size if batch_size is None else batch_size
        for first in range(0, len(self.rows), size):
            yield self.make(np.arange(first, min(first + size, len(self.rows))))

    def make(
        self,
        rows: npt.NDArray[np.int64],
        hidden: npt.NDArray[np.bool_] | None = None,
        symmetries: npt.NDArray[np.uint8] | None = None,
    ) -> Batch:
        """Return the batch of some rows of the table.

        Args:
            rows: ``int64[B]``: indices into the position table.
            hidden: ``bool[B]``: whose last moves are left out of the planes; None: nobody's.
            symmetries: ``uint8[B]``: by which symmetry each is turned; None: none is.
        """
        batch = self.store.batch(
            self.rows,
            rows,
            self.plane_spec,
            hidden=hidden,
            symmetries=symmetries,
            value_mix=self.value_mix,
            threads=self._threads,
            packed=self.packed,
        )
        return batch if self.weights is None else replace(batch, weight=self.weights[batch.phase])

    def _stream(self, name: int, index: int) -> np.random.Generator:
        """Return the random stream of batch ``index``, independent of the batches made before."""
        return np.random.default_rng([name, *seed_words(self.seed), index])

    def _epoch_seed(self, epoch: int) -> int:
        sequence = np.random.SeedSequence([_ORDER, *seed_words(self.seed), epoch])
        return int(sequence.generate_state(1, np.uint64)[0])


def _phase_weights(weights: npt.ArrayLike, rows: PositionTable) -> npt.NDArray[np.float32]:
    """Return one weight per phase."""
    try:
        given = np.asarray(weights, dtype=np.float32)
    except (TypeError, ValueError) as error:
        message = f"weights={weights!r}: expected a number for each of the phases {rows.names}"
        raise InvalidConfig(message) from error
    are_weights = np.isfinite(given).all() and (given >= 0).all() and given.any()
    if given.shape != (len(rows.names),) or not are_weights:
        message = (
            f"weights={weights!r}: the gate {rows.gate!r} has the phases "
            f"{', '.join(map(repr, rows.names))}; give each a weight, finite and not negative, "
            "one of them above 0"
        )
        raise InvalidConfig(message)
    return given


def _check_size(batch_size: int, shape: tuple[int, ...]) -> None:
    """Refuse a batch whose planes do not fit into memory."""
    size = 4 * math.prod(shape)
    if batch_size >= _TOO_MANY:
        message = f"batch_size={batch_size}: no machine holds so many positions"
        raise InvalidConfig(message)
    _core.check_memory(f"batch_size={batch_size}", batch_size, size)


T = TypeVar("T")

_POLL_SECONDS = 0.1


class Prefetcher(Generic[T]):
    """Calls ``make`` for one index after the other, a few ahead of who asks.

    The native core releases the interpreter lock while it makes planes, so this takes no time from
    the training as long as there is a core to spare, and little otherwise.

    Args:
        make: Makes the item of an index.
        indices: The indices, in the order in which they will be asked for.
        depth: Items that may wait to be taken.
    """

    def __init__(self, make: Callable[[int], T], indices: Iterable[int], depth: int = 3) -> None:
        self._queue: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue(depth)
        self._stop = threading.Event()
        self._first: float | None = None
        self._waited = 0.0
        self._thread = threading.Thread(
            target=self._work, args=(make, indices), name="phasezoo-prefetch", daemon=True
        )
        self._thread.start()

    def next(self) -> T:
        """The next item; raises what making it raised."""
        asked = time.perf_counter()
        item, error = self._queue.get()
        now = time.perf_counter()
        if self._first is None:
            self._first = now  # making the first item is no fault of whoever makes the next
        else:
            self._waited += now - asked
        if error is not None:
            raise error
        return item  # type: ignore[return-value]  # an item without an error is one

    def waiting_share(self) -> float:
        """Share of the time since the first item in which :meth:`next` had to wait; 0 before."""
        spent = 0.0 if self._first is None else time.perf_counter() - self._first
        return self._waited / spent if spent > 0 else 0.0

    def close(self) -> None:
        """Stop making items."""
        self._stop.set()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self, make: Callable[[int], T], indices: Iterable[int]) -> None:
        try:
            for index in indices:
                if not self._put((make(index), None)):
                    return
        except Exception as error:  # handed to the thread that asks
            self._put((None, error))

    def _put(self, entry: tuple[T | None, BaseException | None]) -> bool:
        """Wait for room; False if it is to stop instead."""
        while not self._stop.is_set():
            try:
                self._queue.put(entry, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return True
        return False
