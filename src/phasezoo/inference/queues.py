"""Queues of leaves, one per expert, for routing ``exact`` over many trees (SPEC §8)."""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import Evaluation, Leaves
from phasezoo.inference.joined import JoinedLeaves
from phasezoo.inference.mixture import MixtureOfExperts

__all__ = ["ExpertQueues"]

Answers: TypeAlias = Iterator[tuple[Leaves, Evaluation]]


class ExpertQueues:
    """Collects leaves by expert until a call is worth while.

    Trees whose leaves wait do not hold up the others, so experts of rare phases are asked less
    often, with more rows at a time.

    Args:
        mixture: The experts; its routing is ``"exact"``.
        capacity: Rows at which a queue is full; no call is larger, unless one batch is.
        counts: Grows by the cost of the calls.
        patient: Whether the smaller queues go on waiting when no tree can go on; searches against
            the clock should not wait.
    """

    def __init__(
        self, mixture: MixtureOfExperts, capacity: int, counts: Counts, *, patient: bool = True
    ) -> None:
        self._mixture = mixture
        self._capacity = capacity
        self._counts = counts
        self._patient = patient
        self._waiting: dict[int, list[Leaves]] = {}

    def __len__(self) -> int:
        return sum(self._rows(phase) for phase in self._waiting)

    def push(self, leaves: Leaves) -> Answers:
        """Take in leaves; yields the answers of the queues that became full, batch by batch."""
        self._counts.regated_rows += self._mixture.regated(leaves)
        winners = self._mixture.winners(leaves)
        for phase in np.unique(winners).tolist():
            rows = np.flatnonzero(winners == phase)
            part = leaves if len(rows) == len(leaves) else leaves.select(rows)
            if self._rows(phase) + len(part) > self._capacity:
                yield from self._flush(phase)
            self._waiting.setdefault(phase, []).append(part)
            if self._rows(phase) >= self._capacity:
                yield from self._flush(phase)

    def stalled(self) -> Answers:
        """No tree can go on: yields the answers of the fullest queue, or of all if impatient."""
        if self._waiting and self._patient:
            yield from self._flush(max(sorted(self._waiting), key=self._rows))
            return
        for phase in sorted(self._waiting):
            yield from self._flush(phase)

    def clear(self) -> None:
        """Drop what waits."""
        self._waiting.clear()

    def _rows(self, phase: int) -> int:
        return sum(map(len, self._waiting.get(phase, ())))

    def _flush(self, phase: int) -> Answers:
        parts = self._waiting.pop(phase, [])
        if len(parts) == 1:
            yield parts[0], self._mixture.ask(phase, parts[0], self._counts)
        elif parts:
            joined = JoinedLeaves(parts)
            yield from joined.split(self._mixture.ask(phase, joined, self._counts))
