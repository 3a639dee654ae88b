"""Cost model of inference: ``calls * a + rows * b``, fitted per network and backend."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidConfig
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import evaluate_leaves
from phasezoo.inference.leaf_batches import StateBatch
from phasezoo.specs import NonNegativeFloat, check


@dataclass(frozen=True)
class CostModel:
    """Seconds as a linear function of calls and rows."""

    call_seconds: NonNegativeFloat
    """a: what a call costs however many rows it has."""
    row_seconds: NonNegativeFloat
    """b: what a row adds; padded rows cost as much."""

    def __post_init__(self) -> None:
        check(self)
        if self.call_seconds + self.row_seconds <= 0:
            message = f"{self}: calls or rows must cost something"
            raise InvalidConfig(message)

    def seconds(self, counts: Counts) -> float:
        """Return the seconds that the work counted in ``counts`` costs."""
        rows = counts.rows + counts.padded_rows
        return counts.calls * self.call_seconds + rows * self.row_seconds

    @classmethod
    def fit(cls, calls: npt.ArrayLike, rows: npt.ArrayLike, seconds: npt.ArrayLike) -> "CostModel":
        """Least squares with neither cost below zero.

        Args:
            calls: Calls made in each measurement.
            rows: Rows computed in each measurement, padding included.
            seconds: What each took.

        Raises:
            InvalidConfig: The lengths differ, or the measurements do not tell calls from rows.
        """
        design = np.stack([np.asarray(calls, float), np.asarray(rows, float)], axis=1)
        took = np.asarray(seconds, float)
        if len(took) != len(design) or np.linalg.matrix_rank(design) < 2:
            message = (
                f"{len(design)} measurements with {len(took)} times do not determine a cost per "
                "call and per row: measure at least two batch sizes"
            )
            raise InvalidConfig(message)
        both, *_ = np.linalg.lstsq(design, took, rcond=None)
        if (both >= 0).all():
            return cls(float(both[0]), float(both[1]))
        # With two unknowns, the constrained optimum has one of them at zero.
        alone = [float(column @ took / (column @ column)) for column in design.T]
        misfit = [
            ((took - cost * column) ** 2).sum()
            for cost, column in zip(alone, design.T, strict=True)
        ]
        return cls(alone[0], 0.0) if misfit[0] < misfit[1] else cls(0.0, alone[1])

    @classmethod
    def measure(
        cls,
        evaluator: Any,
        states: Sequence[Any],
        *,
        batch_sizes: Sequence[int] = (1, 8, 16, 32, 64),
        repeats: int = 20,
    ) -> "CostModel":
        """Time ``evaluator`` on ``states`` and fit.

        The batch sizes take turns, so that a slow spell of the machine does not fall on one of
        them, and the median of each is fitted; the first round only warms up.

        Args:
            evaluator: One network (a mixture's cost is that of its experts, added up).
            states: Positions to ask about, used over and over.
            batch_sizes: At least two sizes.
            repeats: Rounds that count.
        """
        batches = [
            StateBatch([states[i % len(states)] for i in range(size)]) for size in batch_sizes
        ]
        times = np.empty((repeats + 1, len(batches)))
        rows = np.empty(len(batches))
        for repeat in range(repeats + 1):
            for column, batch in enumerate(batches):
                counts = Counts()
                start = time.perf_counter()
                evaluate_leaves(evaluator, batch, counts)
                # The evaluator's own clock leaves out the making of planes; see Counts.seconds.
                times[repeat, column] = counts.seconds or time.perf_counter() - start
                rows[column] = counts.rows + counts.padded_rows
        return cls.fit(np.ones(len(batches)), rows, np.median(times[1:], axis=0))
