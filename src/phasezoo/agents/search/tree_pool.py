"""The common part of session pools whose searches share trees and an evaluator."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from phasezoo import games
from phasezoo._core import SearchPool, SearchResult
from phasezoo.agents.base import Move
from phasezoo.agents.limit import Limit
from phasezoo.agents.search.driver import Driver
from phasezoo.agents.search.slot import Slot
from phasezoo.errors import InvalidConfig, InvalidEvaluation
from phasezoo.games.contracts import check_state
from phasezoo.games.failures import failure_of
from phasezoo.games.options import at_least, threads_or
from phasezoo.inference.cache import forget_answers
from phasezoo.inference.counts import Counts
from phasezoo.inference.other_games import check_plays, has_more_actions
from phasezoo.observation import View
from phasezoo.types import Gate

DEFAULT_THREADS = 1
"""A row takes 5 µs of one thread; in batches of 64, waking a second thread costs what it saves, and
more if other processes use the same cores. The network has threads of its own."""

DEFAULT_POOL_ROWS = 256
"""Bounds memory: 256 rows of chess planes are 3.4 MB, their policies 4.8 MB."""


_ENDS_AT_ONCE = ("stopped", "movetime", "memory", "failed")
"""Ends of a search that wait for no answers."""


def rows_or_default(pool_rows: int | None, tree_rows: int, batch: str) -> int:
    """Return the rows of a pool, which hold a whole batch of a tree.

    Args:
        pool_rows: The rows that were asked for; None: the default.
        tree_rows: Rows of a batch.
        batch: Names the batch in the message.
    """
    if pool_rows is None:
        return max(DEFAULT_POOL_ROWS, tree_rows)
    rows = at_least("pool_rows", pool_rows, 1)
    if rows < tree_rows:
        message = (
            f"pool_rows={rows} would cut the batches of {batch}, which changes a search; give "
            f"at least {tree_rows} or a smaller batch_size"
        )
        raise InvalidConfig(message)
    return rows


class TreePool(ABC):
    """A pool of games with a tree in each slot, whatever the trees search.

    Args:
        game: What is played.
        evaluator: Answers the leaves of all trees.
        limit: When every search ends.
        gate: Says the phases of leaves; None: all are phase 0.
        threads: Threads of the pool; default :data:`DEFAULT_THREADS`.

    Raises:
        GameMismatch: The evaluator is a network of another game.
    """

    keeps_clocks = True
    view: View | None = None
    result: SearchResult
    """The findings of the search that ended last."""
    _pool: SearchPool
    """The trees; a subclass makes it."""
    _driver: Driver
    """Answers their leaves."""
    _pool_rows: int
    """The most rows handed to the evaluator at once."""

    def __init__(
        self,
        game: games.Game,
        evaluator: Any,
        limit: Limit,
        gate: Gate | None,
        threads: int | None,
    ) -> None:
        check_plays(evaluator, game)
        self.game = game
        self.limit = limit
        self._evaluator = evaluator
        self._gate = gate
        self._threads = threads_or(threads, DEFAULT_THREADS)
        self._slots: dict[int, Slot] = {}
        self._asked: dict[int, int] = {}
        """The slot of each tree that is searched."""
        self.failed: int | None = None
        """The slot in whose search the game's own code failed last."""
        self._next = 0
        self._is_checked = game.native

    def _drive(self, tree_rows: int, *, overlaps: bool, **more: Any) -> None:
        """Make the driver of the trees, each of which has up to ``tree_rows`` rows at once."""
        self._driver = Driver(
            self._pool,
            self._evaluator,
            self._pool_rows,
            tree_rows,
            patient=not self.limit.is_timed,
            gathers=has_more_actions(self._evaluator, self.game),
            overlaps=overlaps,
            **more,
        )

    @property
    def counts(self) -> Counts:
        """The work of inference so far, over all slots."""
        return self._driver.counts

    def open(self, seed: int, history: Sequence[Any] = ()) -> int:
        """Open a slot, with a tree of its own."""
        number, self._next = self._next, self._next + 1
        self._slots[number] = self._new_slot(seed, history)
        return number

    @abstractmethod
    def tell(self, slot: int, action: Any, state: Any) -> None:
        """Report ``action``, which led to ``state``."""

    def follow(self, slot: int, last: Any, state: Any) -> int:
        """Report all that was played since ``last`` was asked for; now the game is at ``state``.

        Args:
            slot: The slot of the game.
            last: The state asked for last; None if that search failed.
            state: Where the game stands.

        Returns:
            The slot to ask from now on: if ``state`` is of another game, a new one, with another
            tree and other random numbers.
        """
        steps = None if last is None else self._steps(last, state)
        if steps is None:
            seed = int(np.random.default_rng(self._slots[slot].seed).integers(2**63))
            self.close(slot)
            return self.open(seed)
        for action, after in steps:
            self.tell(slot, action, after)
        return slot

    def _steps(self, last: Any, state: Any) -> list[tuple[Any, Any]] | None:
        """How a game went on from ``last`` to ``state``; None if that is another game."""
        # What all did at once is not known; a game that has become younger is another one.
        return None if getattr(state, "ply", 0) < getattr(last, "ply", 0) else []

    def poll(self) -> list[tuple[int, Move]]:
        """Collect, evaluate and back up once; return the moves of searches that ended with it."""
        if not self._asked:
            return []
        try:
            self._driver.round()
        except BaseException as error:
            self.failed = self._slot_of(error)
            if isinstance(error, InvalidEvaluation):
                forget_answers(self._evaluator)
            # Leaves that were handed out will not be answered: such trees cannot go on.
            self._driver.forget()
            for tree, slot in self._asked.items():
                self._pool.clear(tree)
                self._slots[slot].answered(0)
                self._slots[slot].forget()
            self._asked.clear()
            raise
        if self._pool.running == len(self._asked):  # all of them; no other trees are searched
            return []
        done = sorted(tree for tree in self._asked if self._has_ended(tree))
        return [(self._asked[tree], self._finish(tree)) for tree in done]

    def _has_ended(self, tree: int) -> bool:
        """Whether a search has ended, and nothing is missing of what it finds.

        A proof may end it while leaves of its mini-batch wait. They are answered first, as they are
        in a tree that is alone, or what it finds would depend on the other trees of the pool.
        """
        if self._pool.is_running(tree):
            return False
        return self._pool.status(tree) in _ENDS_AT_ONCE or not self._driver.waits_for(tree)

    def report(self, slot: int) -> SearchResult:
        """Return the findings of ``slot``'s search so far; any thread may ask."""
        return self._pool.report(self._slots[slot].tree)

    def stop(self, slot: int) -> None:
        """End the search of ``slot``: the next poll has its move. Any thread may say so."""
        found = self._slots[slot]
        found.was_stopped()
        self._pool.stop(found.tree)

    def change_limit(self, slot: int, limit: Limit) -> None:
        """Go on with another limit, whose time counts from now. Any thread may say so."""
        found = self._slots[slot]
        found.was_stopped()
        self._pool.change_limit(found.tree, **limit.words())

    def forget_waiting(self) -> None:
        """Drop the leaves of searches that have ended, if no other goes on."""
        if not self._asked:
            self._driver.forget()

    def _slot_of(self, error: BaseException) -> int | None:
        """The slot whose search an error comes from; None if that is not known."""
        for tree, slot in self._asked.items():
            if self._pool.status(tree) == "failed":  # as it walked its tree
                return slot
        failure = failure_of(error, self.game)
        if failure is None:
            return None
        found = self._driver.tree_of(failure.state)  # as its leaves were looked at
        return None if found is None else self._asked.get(found)

    def close(self, slot: int) -> None:
        """Leave the game, and drop its tree."""
        found = self._slots.pop(slot)
        self._asked.pop(found.tree, None)
        self._pool.remove(found.tree)

    @abstractmethod
    def _new_slot(self, seed: int, history: Sequence[Any]) -> Slot:
        """Return a slot with a tree in the pool."""

    def _check_once(self, state: Any) -> None:
        """Look at the first state of a game of the user's own."""
        if not self._is_checked:
            self._is_checked = True
            check_state(state, self.game.num_players)

    def _is_out(self, state: Any, player: int) -> bool:
        """Whether ``player`` has nothing to choose in ``state``, where several move at once."""
        if player not in games.acting_players(state):
            return True
        is_idle = getattr(state, "is_idle", None)
        return is_idle is not None and bool(is_idle(player))

    def _result_of(self, tree: int, slot: Slot) -> SearchResult:
        """The findings of the search of ``tree``."""
        return self._pool.finish(tree)

    def _finish(self, tree: int) -> Move:
        slot = self._slots[self._asked.pop(tree)]
        self.result = result = self._result_of(tree, slot)
        slot.answered(result.simulations)
        return Move(
            result.action,
            result.value,
            result.nodes,
            result.simulations,
            result.depth,
            None if self._gate is None else result.phase,
            search=result,
        )
