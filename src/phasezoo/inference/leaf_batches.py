"""Several leaf batches answered in one call."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.games import PackedPlanes
from phasezoo.games.varlen import offsets_of
from phasezoo.inference.evaluator import Evaluation, Leaves, Legal
from phasezoo.types import Planes


class LeafBatches:
    """Leaf batches one after the other, with the face of one; see :class:`Leaves`."""

    def __init__(self, parts: Sequence[Leaves]) -> None:
        self.parts = tuple(parts)
        self._starts = np.cumsum([0, *map(len, self.parts)])

    def __len__(self) -> int:
        return int(self._starts[-1])

    @property
    def num_actions(self) -> int:
        """A."""
        return self.parts[0].num_actions

    @property
    def phases(self) -> npt.NDArray[np.int8]:
        """``int8[B]``."""
        return np.concatenate([part.phases for part in self.parts])

    @property
    def trees(self) -> npt.NDArray[np.int32]:
        """``int32[B]``."""
        return np.concatenate([part.trees for part in self.parts])

    @property
    def players(self) -> npt.NDArray[np.int64]:
        """``int64[B]``."""
        return np.concatenate([part.players for part in self.parts])

    @property
    def legal(self) -> Legal:
        """``(offsets int64[B + 1], actions int32[total])``."""
        each = [part.legal for part in self.parts]
        lengths = np.concatenate([np.diff(offsets) for offsets, _ in each])
        return offsets_of(lengths), np.concatenate([actions for _, actions in each])

    def planes(self, spec: str, packed: bool = False) -> Planes | PackedPlanes:
        """``float32[B, C, H, W]``, or packed."""
        if packed:
            return PackedPlanes.joined([part.planes(spec, packed=True) for part in self.parts])
        return np.concatenate([part.planes(spec) for part in self.parts])

    def states(self) -> list[Any]:
        """Return the states."""
        return [state for part in self.parts for state in part.states()]

    def select(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> "LeafBatches":
        """Return the batch of these rows, in this order."""
        place = np.searchsorted(self._starts, np.asarray(rows), side="right") - 1
        pairs = zip(place.tolist(), np.asarray(rows).tolist(), strict=True)
        runs = groupby(pairs, key=lambda pair: pair[0])
        return LeafBatches(
            [
                self.parts[part].select(np.array([row - self._starts[part] for _, row in run]))
                for part, run in runs
            ]
        )

    def split(self, evaluation: Evaluation) -> Iterator[tuple[Leaves, Evaluation]]:
        """Yield each part with its share of ``evaluation``, as of :func:`evaluate_leaves`."""
        start = 0
        for part, row in zip(self.parts, self._starts[:-1].tolist(), strict=True):
            end = start + int(part.legal[0][-1])
            rows = slice(row, row + len(part))
            yield (
                part,
                Evaluation(
                    value=evaluation.values()[rows],
                    wdl=None if evaluation.wdl is None else evaluation.wdl[rows],
                    legal_logits=None
                    if evaluation.legal_logits is None
                    else evaluation.legal_logits[start:end],
                    plies_left=None
                    if evaluation.plies_left is None
                    else evaluation.plies_left[rows],
                ),
            )
            start = end
