"""Queues of leaves, one per expert, for routing ``exact`` over many trees."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.games.varlen import entries_of
from phasezoo.inference.calls import Call
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import Evaluation, Leaves
from phasezoo.inference.leaf_batches import LeafBatches
from phasezoo.inference.mixture import MixtureOfExperts, Rows
from phasezoo.inference.routing import routed

Calls: TypeAlias = Iterator[Call]


class ExpertQueues:
    """Collects leaves by expert until a call is worth while.

    Trees whose leaves wait do not hold up the others, so experts of rare phases are asked less
    often, with more rows at a time. The leaves that a tree handed out together come back together:
    what it finds does not depend on which expert was asked first, nor on the other trees.

    Args:
        mixture: The experts; its routing is ``"exact"``.
        capacity: Rows at which a queue is full; no call is larger, unless one batch is.
        counts: Grows by the rows whose phase is another one under the experts' own gate.
        deliver: Takes leaves that can go back to their trees, with their answers.
        patient: Whether the smaller queues go on waiting when no tree can go on; searches against
            the clock should not wait.
    """

    def __init__(
        self,
        mixture: MixtureOfExperts,
        capacity: int,
        counts: Counts,
        deliver: Callable[[Leaves, Evaluation], None],
        *,
        patient: bool = True,
    ) -> None:
        self._mixture = mixture
        self._capacity = capacity
        self._counts = counts
        self._deliver = deliver
        self._patient = patient
        self.rows = 0
        """Rows that wait."""
        self._waiting: dict[int, _Queue] = {}
        self._pushes = 0

    def push(self, leaves: Leaves) -> Calls:
        """Take in leaves; yields the calls of the queues that became full."""
        self._counts.regated_rows += self._mixture.regated(leaves)
        winners = routed(self._mixture.rule, leaves, len(self._mixture.names))
        groups = self._mixture.groups[winners]
        sheet = _Sheet(leaves)
        self._pushes += 1
        for phase in np.unique(groups).tolist():
            rows = np.flatnonzero(groups == phase)
            if phase in self._waiting and self._waiting[phase].rows + len(rows) > self._capacity:
                yield self._flush(phase)
            part = leaves if len(rows) == len(leaves) else leaves.select(rows)
            queue = self._waiting.setdefault(phase, _Queue(self._pushes))
            queue.parts.append(_Part(sheet, rows, part, winners[rows]))
            queue.rows += len(rows)
            self.rows += len(rows)
            if queue.rows >= self._capacity:
                yield self._flush(phase)

    def stalled(self, least: int = 1) -> Calls:
        """No tree can go on: yields the call of one queue, or of all if impatient.

        The queue that has waited longest is next, of equals the fullest: trees then stay abreast of
        each other and share calls to their end. (The fullest first lets some trees run ahead and
        finish the others in small calls.)
        """
        order = sorted(self._waiting, key=self._urgency if self._patient else None)
        for phase in order[:1] if self._patient else order:
            if self._waiting[phase].rows >= least:
                yield self._flush(phase)

    @property
    def waiting(self) -> list[Leaves]:
        """The leaves that wait."""
        return [part.leaves for queue in self._waiting.values() for part in queue.parts]

    def clear(self) -> None:
        """Drop what waits."""
        self._waiting.clear()
        self.rows = 0

    def _urgency(self, phase: int) -> tuple[int, int, int]:
        return self._waiting[phase].since, -self._waiting[phase].rows, phase

    def _flush(self, phase: int) -> Call:
        queue = self._waiting.pop(phase)
        self.rows -= queue.rows
        parts = queue.parts
        joined = parts[0].leaves if len(parts) == 1 else LeafBatches([p.leaves for p in parts])

        winners = np.concatenate([part.winners for part in parts])

        def ask(leaves: Leaves, spent: Counts) -> Evaluation:
            return self._mixture.ask(winners, leaves, spent)

        def deliver(answer: Evaluation) -> None:
            if isinstance(joined, LeafBatches):
                answers = [evaluation for _, evaluation in joined.split(answer)]
            else:
                answers = [answer]
            for part, own in zip(parts, answers, strict=True):
                for leaves, evaluation in part.answered(own):
                    self._deliver(leaves, evaluation)

        return Call(joined, ask, deliver)


class _Sheet:
    """A batch of leaves as it was collected, on which the experts' answers are gathered."""

    def __init__(self, leaves: Leaves) -> None:
        self.leaves = leaves
        self._tree_of_row: Rows
        _, self._tree_of_row = np.unique(leaves.trees, return_inverse=True)
        self._missing = np.bincount(self._tree_of_row)
        self._delivered = np.zeros(len(leaves), dtype=bool)
        self._value: npt.NDArray[np.float32] | None = None
        self._logits: npt.NDArray[np.float32] | None = None
        # Rows of experts that do not say keep NaN.
        self._wdl = np.full((len(leaves), 3), np.nan, dtype=np.float32)
        self._left = np.full(len(leaves), np.nan, dtype=np.float32)

    def enter(self, rows: Rows, answer: Evaluation) -> Rows:
        """Write the answer to ``rows``; the rows of the trees that are complete by it."""
        values = answer.values()
        if self._value is None:
            self._value = np.empty((len(self.leaves), *values.shape[1:]), dtype=np.float32)
        self._value[rows] = values
        if answer.wdl is not None:
            self._wdl[rows] = answer.wdl
        if answer.plies_left is not None:
            self._left[rows] = answer.plies_left
        if answer.legal_logits is not None:
            offsets, actions = self.leaves.legal
            if self._logits is None:  # rows without logits keep zeros: all actions alike
                self._logits = np.zeros(len(actions), dtype=np.float32)
            self._logits[entries_of(offsets, rows)[1]] = answer.legal_logits
        np.subtract.at(self._missing, self._tree_of_row[rows], 1)
        complete = (self._missing[self._tree_of_row] == 0) & ~self._delivered
        self._delivered |= complete
        return np.flatnonzero(complete)

    def taken(self, rows: Rows) -> tuple[Leaves, Evaluation]:
        """These rows with their answers."""
        value, logits = self._value, self._logits
        if logits is not None:
            logits = logits[entries_of(self.leaves.legal[0], rows)[1]]
        leaves = self.leaves if len(rows) == len(self.leaves) else self.leaves.select(rows)
        wdl, left = self._wdl[rows], self._left[rows]
        answer = Evaluation(value=None if value is None else value[rows])
        unsaid = np.isnan(wdl[:, 0])
        has_wdl = not unsaid.any() or (answer.values().ndim == 1 and not unsaid.all())
        if has_wdl and unsaid.any():
            wdl[unsaid] = answer.chances()[unsaid]
        return leaves, replace(
            answer,
            wdl=wdl if has_wdl else None,
            legal_logits=logits,
            plies_left=None if np.isnan(left).any() else left,
        )


@dataclass(frozen=True)
class _Part:
    """The rows of a sheet that wait for one expert."""

    sheet: _Sheet
    rows: Rows
    leaves: Leaves
    winners: Rows
    """The phase whose expert answers each row."""

    def answered(self, answer: Evaluation) -> Iterator[tuple[Leaves, Evaluation]]:
        """Yield the rows that can go back to their trees now."""
        complete = self.sheet.enter(self.rows, answer)
        if np.array_equal(complete, self.rows):
            yield self.leaves, answer  # one leaf a tree: nothing has to be put together
        elif len(complete):
            yield self.sheet.taken(complete)


@dataclass
class _Queue:
    """The leaves that wait for one expert."""

    since: int
    """Number of the push that brought the first of them."""
    rows: int = 0
    parts: list[_Part] = field(default_factory=list)
