"""How samples are drawn from a replay and weighed."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from annotated_types import Interval

from phasezoo.data.batches import Batch
from phasezoo.data.positions import PositionTable
from phasezoo.data.sampler import Sampler
from phasezoo.data.store import GameStore
from phasezoo.specs import PositiveFloat, PositiveInt, Share, check

_AGES = 4
"""Name of the random stream that draws by age, beside those of :class:`Sampler`."""


@dataclass(frozen=True)
class ReplayRules:
    """How a replay is drawn from; see ``docs/definitions/self_play.md#replay``."""

    capacity: PositiveInt = 100_000
    """Samples that are kept, the newest. A sample is a searched decision."""
    half_life: PositiveFloat | None = None
    """Samples after which one is drawn half as often as the newest; None: all alike."""
    counts: Literal["sample", "game"] = "sample"
    """Whether samples count alike in the losses, or games do."""
    discount: Annotated[float, Interval(gt=0, le=1)] = 1.0
    """What a sample counts is multiplied by this for every ply that is left."""
    symmetries: bool | None = None
    """Whether samples are turned by symmetries of the board, drawn anew each time; None: in games
    whose start has them all."""
    value_mix: Share = 0.0
    """Share of what searches expected in the values to learn."""

    def __post_init__(self) -> None:
        check(self)


class ReplaySampler(Sampler):
    """Draws samples by their age, and weighs them.

    Args:
        store: The games.
        rows: The samples, oldest first.
        rules: How they are drawn.
        **options: See :class:`Sampler`.
    """

    def __init__(
        self, store: GameStore, rows: PositionTable, rules: ReplayRules, **options: Any
    ) -> None:
        super().__init__(store, rows, **options)
        self._chances: npt.NDArray[np.float64] | None = None
        if rules.half_life is not None:
            ages = np.arange(len(rows) - 1, -1, -1, dtype=np.float64)
            chances = np.cumsum(np.exp2(-ages / rules.half_life))
            self._chances = chances / chances[-1]
        self.row_weights = _row_weights(store, rows, rules)

    def batch_rows(self, index: int) -> npt.NDArray[np.int64]:
        """``int64[B]``: the samples of a batch: all in turn, or drawn anew by their ages."""
        if self._chances is None:
            return super().batch_rows(index)
        drawn = self._stream(_AGES, index).random(self.batch_size)
        rows: npt.NDArray[np.int64] = np.searchsorted(self._chances, drawn, side="right")
        return np.minimum(rows, len(self.rows) - 1)

    def sized(self, index: int, size: int | None) -> Batch:
        """Batch ``index`` with another number of samples, if ``size`` is given."""
        if size is None or size == self.batch_size:
            return self.batch(index)
        parts = [self.batch(index, np.arange(min(size, self.batch_size)))]
        if size > self.batch_size:
            parts.append(self.batch(index + 1, np.arange(size - self.batch_size)))
        return Batch.joined(parts)

    def make(
        self,
        rows: npt.NDArray[np.int64],
        hidden: npt.NDArray[np.bool_] | None = None,
        symmetries: npt.NDArray[np.uint8] | None = None,
    ) -> Batch:
        """The batch of some samples; see :meth:`Sampler.make`."""
        batch = super().make(rows, hidden, symmetries)
        if self.row_weights is None:
            return batch
        return replace(batch, weight=batch.weight * self.row_weights[rows])


def _row_weights(
    store: GameStore, rows: PositionTable, rules: ReplayRules
) -> npt.NDArray[np.float32] | None:
    """``float32[P]`` with mean 1: what each sample counts; None: all alike."""
    if rules.counts == "sample" and rules.discount == 1:
        return None
    weights = np.ones(len(rows))
    if rules.counts == "game":
        weights /= np.bincount(rows.game)[rows.game]
    if rules.discount < 1:
        left = np.diff(store.offsets)[rows.game] - rows.ply
        weights *= rules.discount ** left.astype(np.float64)
    scaled: npt.NDArray[np.float32] = (weights / weights.mean()).astype(np.float32)
    return scaled
