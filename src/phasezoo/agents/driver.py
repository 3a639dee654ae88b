"""Keeps a pool of searches and an evaluator busy with each other."""

from typing import Any

from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import Evaluation, Leaves, evaluate_leaves
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.queues import ExpertQueues

__all__ = ["Driver"]


class Driver:
    """Carries leaves from a pool to an evaluator and the answers back.

    Args:
        pool: The searches, a ``_core.SearchPool``.
        evaluator: What answers their leaves; a mixture with routing ``exact`` gets queues.
        pool_rows: The most rows handed to the evaluator at once, at least 1.
        patient: See :class:`~phasezoo.inference.queues.ExpertQueues`.
    """

    def __init__(self, pool: Any, evaluator: Any, pool_rows: int, *, patient: bool = True) -> None:
        self.counts = Counts()
        self._pool = pool
        self._evaluator = evaluator
        self._pool_rows = pool_rows
        self._queues: ExpertQueues | None = None
        if isinstance(evaluator, MixtureOfExperts) and evaluator.routing == "exact":
            self._queues = ExpertQueues(evaluator, pool_rows, self.counts, patient=patient)

    def round(self) -> None:
        """Collect leaves once, evaluate what is due, and back it up.

        Raises:
            InvalidEvaluation: The evaluator's answer is not valid. The trees that wait for it go on
                waiting: clear them.
        """
        leaves = self._pool.collect(self._pool_rows)
        if self._queues is None:
            if len(leaves):
                self._complete(leaves, evaluate_leaves(self._evaluator, leaves, self.counts))
            return
        answers = self._queues.push(leaves) if len(leaves) else self._queues.stalled()
        for part, evaluation in answers:
            self._complete(part, evaluation)

    def forget(self) -> None:
        """Drop leaves that wait in queues, after their trees were cleared."""
        if self._queues is not None:
            self._queues.clear()

    def _complete(self, leaves: Leaves, evaluation: Evaluation) -> None:
        self._pool.complete(leaves, legal_logits=evaluation.legal_logits, value=evaluation.values())
