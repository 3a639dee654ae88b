"""Keeps a pool of searches and an evaluator busy with each other."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidEvaluation
from phasezoo.inference.calls import Call, CallsInFlight, has_one_thread, parallel_calls_of
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import (
    Evaluation,
    Leaves,
    ask,
    evaluate_leaves,
    name_of,
    name_wrong_part,
)
from phasezoo.inference.leaf_batches import LeafBatches
from phasezoo.inference.mixture import MixtureOfExperts, merged
from phasezoo.inference.oracle import Known, Oracle, exact_chances, looked_up, with_known
from phasezoo.inference.queues import ExpertQueues
from phasezoo.inference.routing import exact

MOST_COLLECTIONS = 16
"""How often a round asks trees again that met only ends of games; then the others go on alone."""

LEAST_ROWS = 8
"""Fewer rows than this are not worth a call beside another one."""


class Driver:
    """Carries leaves from a pool to an evaluator and the answers back.

    If the evaluator allows it (``parallel_calls``, see :mod:`phasezoo.inference.calls`) and has
    more threads than one, half of the trees' leaves are answered by other threads while this one
    searches for the other half. Trees do not notice: each hands out a mini-batch and waits for it.
    With ``in_flight=2`` a tree hands out a second one meanwhile, so that a single search overlaps
    with the evaluator too.

    Args:
        pool: The searches, a ``_core.SearchPool``.
        evaluator: What answers their leaves; a mixture with routing ``exact`` gets queues.
        pool_rows: The most rows handed to the evaluator at once, at least 1.
        batch_size: The most leaves in a mini-batch of a tree. With one, a tree that met only ends
            of games is asked again before the others' leaves are evaluated, which fills the batch
            and changes nothing in any tree.
        in_flight: Mini-batches that a tree may have outstanding. With 2 another thread asks the
            evaluator, one call at a time unless it allows more.
        patient: See :class:`~phasezoo.inference.queues.ExpertQueues`.
        searchers: If trees walk one player's moves alone: says for whom each row is searched, whose
            value is taken where an evaluator gives one for each player.
        gathers: Whether the evaluator knows more actions than the game has.
        overlaps: Whether other threads may ask the evaluator about its leaves.
        oracle: Knows what some leaves are worth; the evaluator is not asked about them, unless by
            queues.
    """

    def __init__(
        self,
        pool: Any,
        evaluator: Any,
        pool_rows: int,
        batch_size: int,
        *,
        in_flight: int = 1,
        patient: bool = True,
        searchers: Callable[[Leaves], npt.NDArray[np.int64]] | None = None,
        gathers: bool = False,
        overlaps: bool = True,
        oracle: Oracle | None = None,
    ) -> None:
        self._oracle = oracle
        self._searchers = searchers
        self._gathers = gathers
        self.counts = Counts()
        self._pool = pool
        self._evaluator = evaluator
        self._pool_rows = pool_rows
        self._batch_size = batch_size
        self._in_flight = in_flight
        allowed = parallel_calls_of(evaluator)
        # Who gives an evaluator one thread does not mean another one beside it.
        usual = 0 if has_one_thread(evaluator) else allowed
        workers = max(usual, in_flight - 1) if overlaps else 0
        self._flight = CallsInFlight(workers, self.counts, alone=allowed == 0)
        self._queues: ExpertQueues | None = None
        self._last: list[Leaves] = []
        """The leaves that were collected last."""
        is_routed = isinstance(evaluator, MixtureOfExperts) and evaluator.rule is exact
        is_plain = self._flight.most == 1 and not is_routed and not gathers
        self._is_plain = is_plain and oracle is None
        self._fits_a_call = batch_size <= pool_rows and oracle is None
        """Whether all rows that a tree has out can be asked about as they are, at once."""
        if is_routed:
            self._queues = ExpertQueues(
                evaluator, pool_rows, self.counts, self._complete, patient=patient
            )

    def round(self) -> None:
        """Collect leaves, evaluate what is due, and back up the answers that are waited for."""
        queues, flight = self._queues, self._flight
        is_alone = (
            queues is not None
            and self._fits_a_call
            and self._pool.running == 1
            and not queues.rows
            and (self._in_flight > 1 or not flight.rows)
        )
        # A tree that is alone shares its calls with no other.
        if self._is_plain or (is_alone and (self._in_flight == 1 or flight.most == 1)):
            self._ask_here()
            return
        out = self._pool.running * self._in_flight
        half = -(-out // 2) * self._batch_size
        splits = flight.most > 1 and out > 1 and half >= LEAST_ROWS
        batches = self._collected(min(half, self._pool_rows) if splits else self._pool_rows)
        calls = [self._call(batches)] if is_alone and batches else self._due(batches)
        here = not splits or (not batches and len(calls) == 1)
        for call in calls:
            if len(flight) == flight.most:
                flight.take_in()
            flight.begin(call, here=here and not flight)
        if flight and (len(flight) == flight.most or not batches):
            flight.take_in()

    def _ask_here(self) -> None:
        """The usual round where there is nothing to do while the evaluator answers."""
        batches = self._collected(self._pool_rows)
        if len(batches) == 1:
            (leaves,) = batches
            self._complete_unchecked(leaves, ask(self._evaluator, leaves, self.counts))
        elif batches:
            call = self._call(batches)
            call.deliver(call.ask(call.leaves, self.counts))

    def forget(self) -> None:
        """Drop leaves that wait in queues or for answers, after their trees were cleared."""
        self._flight.forget()
        if self._queues is not None:
            self._queues.clear()

    def waits_for(self, tree: int) -> bool:
        """Whether leaves of a tree are out, in queues or asked about."""
        queued = () if self._queues is None else self._queues.waiting
        return any(tree in leaves.trees for leaves in (*queued, *self._flight.leaves))

    def tree_of(self, state: Any) -> int | None:
        """The tree of a state among the leaves that were collected last, or None."""
        for batch in self._last:
            for tree, leaf in zip(batch.trees, batch.states(), strict=True):
                if leaf is state:
                    return int(tree)
        return None

    def _collected(self, room: int) -> list[Leaves]:
        """New leaves, ``room`` at most but for a layer of a beam that has more."""
        batches: list[Leaves] = []
        self._last = batches
        out = self._flight.rows + (0 if self._queues is None else self._queues.rows)
        refills = self._batch_size == 1 and self._in_flight == 1
        for _ in range(MOST_COLLECTIONS if refills else 1):
            batch = self._pool.collect(room)
            if len(batch):
                batches.append(batch)
                room -= len(batch)
                out += len(batch)
            if room <= 0 or out >= self._pool.running:
                break
        return batches

    def _due(self, batches: list[Leaves]) -> list[Call]:
        """The calls to make now that these leaves are there."""
        queues = self._queues
        if queues is None:
            return [self._call(batches)] if batches else []
        calls = [call for batch in batches for call in queues.push(batch)]
        if not batches and not self._flight:
            calls.extend(queues.stalled())
        if not batches and 0 < len(self._flight) + len(calls) < self._flight.most:
            calls.extend(queues.stalled(LEAST_ROWS))
        return calls

    def _call(self, batches: list[Leaves]) -> Call:
        """The evaluator asked about all of these leaves that no oracle knows."""
        if self._oracle is not None:
            joined = LeafBatches(batches)
            known = looked_up(self._oracle, joined)
            if known is not None:
                return self._partly_known(joined, known)
        if len(batches) == 1 and not self._gathers:
            (leaves,) = batches
            return Call(leaves, self._ask_unchecked, partial(self._complete_unchecked, leaves))
        joined = LeafBatches(batches)

        def deliver(evaluation: Evaluation) -> None:
            for part, answer in joined.split(evaluation):
                self._complete(part, answer)

        return Call(joined, partial(evaluate_leaves, self._evaluator), deliver)

    def _partly_known(self, joined: LeafBatches, known: Known) -> Call:
        rest, hits = np.flatnonzero(~known.rows), np.flatnonzero(known.rows)

        def ask(leaves: Leaves, spent: Counts) -> Evaluation:
            exact = known.values[hits]
            parts = [(hits, Evaluation(value=exact, wdl=exact_chances(exact)))]
            if len(rest):
                asked = evaluate_leaves(self._evaluator, leaves.select(rest), spent)
                parts.append((rest, asked))
            return merged(parts, leaves)

        def deliver(evaluation: Evaluation) -> None:
            self.counts.oracle_rows += len(hits)
            start = 0
            for part, answer in joined.split(evaluation):
                self._pool.set_proofs(part, known.plies[start : start + len(part)])
                self._enter(part, answer)
                start += len(part)

        return Call(joined, ask, deliver)

    def _ask_unchecked(self, leaves: Leaves, spent: Counts) -> Evaluation:
        """The usual case, in which the pool itself checks the evaluator's arrays."""
        return ask(self._evaluator, leaves, spent)

    def _complete_unchecked(self, leaves: Leaves, answer: Evaluation) -> None:
        try:
            self._pool.complete(
                leaves,
                policy_logits=answer.policy_logits,
                legal_logits=answer.legal_logits,
                value=answer.value if self._searchers is None else self._own(answer.value, leaves),
                wdl=answer.wdl,
                plies_left=answer.plies_left,
            )
        except InvalidEvaluation as error:
            name_wrong_part(self._evaluator, leaves)
            message = f"{name_of(self._evaluator)}: {error}"
            raise InvalidEvaluation(message) from error

    def _complete(self, leaves: Leaves, evaluation: Evaluation) -> None:
        known = None
        if self._queues is not None and self._oracle is not None:
            known = looked_up(self._oracle, leaves)
        if known is not None:
            self.counts.oracle_rows += int(known.rows.sum())
            self._pool.set_proofs(leaves, known.plies)
            evaluation = with_known(known, evaluation)
        self._enter(leaves, evaluation)

    def _enter(self, leaves: Leaves, evaluation: Evaluation) -> None:
        value = self._own(evaluation.values(), leaves)
        self._pool.complete(
            leaves,
            legal_logits=evaluation.legal_logits,
            value=value,
            wdl=evaluation.wdl,
            plies_left=evaluation.plies_left,
        )

    def _own(self, value: Any, leaves: Leaves) -> Any:
        """The searching player's column, if one player searches and each has a value."""
        if self._searchers is None or np.ndim(value) != 2 or len(value) != len(leaves):
            return value
        return value[np.arange(len(leaves)), self._searchers(leaves)]
