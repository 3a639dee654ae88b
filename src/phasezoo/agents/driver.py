"""Keeps a pool of searches and an evaluator busy with each other."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidEvaluation
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import Evaluation, Leaves, ask, evaluate_leaves, name_of
from phasezoo.inference.leaf_batches import LeafBatches
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.queues import ExpertQueues

__all__ = ["Driver"]

MOST_COLLECTIONS = 16
"""How often a round asks trees again that met only ends of games; then the others go on alone."""


class Driver:
    """Carries leaves from a pool to an evaluator and the answers back.

    Args:
        pool: The searches, a ``_core.SearchPool``.
        evaluator: What answers their leaves; a mixture with routing ``exact`` gets queues.
        pool_rows: The most rows handed to the evaluator at once, at least 1.
        one_by_one: Whether each tree has one leaf outstanding. Then a tree that met only ends of
            games is asked again before the others' leaves are evaluated, which fills the batch and
            changes nothing in any tree.
        patient: See :class:`~phasezoo.inference.queues.ExpertQueues`.
        searchers: If trees walk one player's moves alone: says for whom each row is searched, whose
            value is taken where an evaluator gives one for each player.
        gathers: Whether the evaluator knows more actions than the game has.
    """

    def __init__(
        self,
        pool: Any,
        evaluator: Any,
        pool_rows: int,
        *,
        one_by_one: bool = False,
        patient: bool = True,
        searchers: Callable[[Leaves], npt.NDArray[np.int64]] | None = None,
        gathers: bool = False,
    ) -> None:
        self._searchers = searchers
        self._gathers = gathers
        self.counts = Counts()
        self._pool = pool
        self._evaluator = evaluator
        self._pool_rows = pool_rows
        self._one_by_one = one_by_one
        self._queues: ExpertQueues | None = None
        if isinstance(evaluator, MixtureOfExperts) and evaluator.routing == "exact":
            self._queues = ExpertQueues(evaluator, pool_rows, self.counts, patient=patient)

    def round(self) -> None:
        """Collect leaves, evaluate what is due, and back it up.

        Raises:
            InvalidEvaluation: The evaluator's answer is not valid. The trees that wait for it go on
                waiting: clear them.
        """
        batches = self._collected()
        if self._queues is None:
            self._evaluate(batches)
            return
        for batch in batches:
            for part, evaluation in self._queues.push(batch):
                self._complete(part, evaluation)
        if not batches:
            for part, evaluation in self._queues.stalled():
                self._complete(part, evaluation)

    def forget(self) -> None:
        """Drop leaves that wait in queues, after their trees were cleared."""
        if self._queues is not None:
            self._queues.clear()

    def _collected(self) -> list[Leaves]:
        """New leaves, ``pool_rows`` at most."""
        batches: list[Leaves] = []
        room = self._pool_rows
        out = 0 if self._queues is None else len(self._queues)
        for _ in range(MOST_COLLECTIONS if self._one_by_one else 1):
            batch = self._pool.collect(room)
            if len(batch):
                batches.append(batch)
                room -= len(batch)
                out += len(batch)
            if room == 0 or out >= self._pool.running:
                break
        return batches

    def _evaluate(self, batches: list[Leaves]) -> None:
        if len(batches) == 1:
            self._evaluate_one(batches[0])
        elif batches:
            joined = LeafBatches(batches)
            evaluation = evaluate_leaves(self._evaluator, joined, self.counts)
            for part, answer in joined.split(evaluation):
                self._complete(part, answer)

    def _evaluate_one(self, leaves: Leaves) -> None:
        """The usual case, in which the pool itself checks the evaluator's arrays."""
        if self._gathers:
            self._complete(leaves, evaluate_leaves(self._evaluator, leaves, self.counts))
            return
        answer = ask(self._evaluator, leaves, self.counts)
        try:
            self._pool.complete(
                leaves,
                policy_logits=answer.policy_logits,
                legal_logits=answer.legal_logits,
                value=self._own(answer.value, leaves),
                wdl=answer.wdl,
            )
        except InvalidEvaluation as error:
            message = f"{name_of(self._evaluator)}: {error}"
            raise InvalidEvaluation(message) from error

    def _complete(self, leaves: Leaves, evaluation: Evaluation) -> None:
        value = self._own(evaluation.values(), leaves)
        self._pool.complete(leaves, legal_logits=evaluation.legal_logits, value=value)

    def _own(self, value: Any, leaves: Leaves) -> Any:
        """The searching player's column, if one player searches and each has a value."""
        if self._searchers is None or np.ndim(value) != 2 or len(value) != len(leaves):
            return value
        return value[np.arange(len(leaves)), self._searchers(leaves)]
