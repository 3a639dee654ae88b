"""Many games of a searching agent: one pool of trees, one evaluator."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from phasezoo import _core, games
from phasezoo.agents.base import Move
from phasezoo.agents.config import Limit, SearchConfig
from phasezoo.agents.driver import Driver
from phasezoo.agents.following import PhaseMemory
from phasezoo.errors import InvalidConfig
from phasezoo.inference.counts import Counts
from phasezoo.types import Gate

__all__ = ["DEFAULT_POOL_ROWS", "DEFAULT_THREADS", "SearchSeats", "params_of"]

DEFAULT_THREADS = 1
"""A row takes 5 µs of one thread; in batches of 64, waking a second thread costs what it saves, and
more where other processes use the same cores. The network has threads of its own."""

DEFAULT_POOL_ROWS = 256
"""Bounds memory: 256 rows of chess planes are 3.4 MB, their policies 4.8 MB."""


def params_of(config: SearchConfig) -> _core.SearchParams:
    """The settings as the core takes them.

    Raises:
        InvalidConfig: One of them is out of range.
    """
    return _core.SearchParams(**asdict(config))


class SearchSeats:
    """Games that share a ``SearchPool``; see :class:`~phasezoo.agents.base.Seats`.

    Args:
        game: What is played.
        evaluator: Answers the leaves of all trees.
        config: How every tree searches.
        limit: When every search ends.
        gate: Says the phases of leaves; None: all are phase 0.
        pool_rows: The most rows handed to the evaluator at once; default 256, or
            ``config.batch_size`` where that is more, so that no tree's batch is cut.
        threads: Threads that walk trees and make planes; default :data:`DEFAULT_THREADS`.
        others: Who moves all but the searching player, in games whose players move at once.
    """

    def __init__(
        self,
        game: games.Game,
        evaluator: Any,
        config: SearchConfig,
        limit: Limit,
        gate: Gate | None,
        *,
        pool_rows: int | None = None,
        threads: int | None = None,
        others: Any = None,
    ) -> None:
        if pool_rows is None:
            pool_rows = max(DEFAULT_POOL_ROWS, config.batch_size)
        if pool_rows < 1:
            message = f"pool_rows={pool_rows}: at least 1 is needed"
            raise InvalidConfig(message)
        self.limit = limit
        self._reuse = config.reuse_tree
        self._gate = gate
        self._pool = _core.SearchPool(
            game.name if game.native else game,
            params_of(config),
            gate,
            DEFAULT_THREADS if threads is None else threads,
            others,
        )
        self._driver = Driver(
            self._pool,
            evaluator,
            pool_rows,
            one_by_one=config.batch_size == 1,
            patient=limit.movetime_ms is None,
        )
        self._phases: dict[int, PhaseMemory] = {}
        self._asked: set[int] = set()
        self.result: Any = None

    @property
    def counts(self) -> Counts:
        """What inference took so far, over all seats."""
        return self._driver.counts

    def open(self, seed: int, history: Sequence[Any] = ()) -> int:
        """Take a seat: a tree of its own."""
        seat = int(self._pool.add(seed))
        self._phases[seat] = PhaseMemory(self._gate)
        for state in history:
            self._phases[seat].see(state)
        return seat

    def tell(self, seat: int, action: Any, state: Any) -> None:
        """Move the tree's root along ``action``."""
        self._phases[seat].see(state)
        if self._reuse:
            self._pool.advance(seat, int(action))
        else:
            self._pool.clear(seat)

    def ask(self, seat: int, state: Any, player: int) -> None:
        """Begin a search at ``state``."""
        self._phases[seat].see(state)
        self._begin(seat, state)

    def _begin(self, seat: int, root: Any, **options: Any) -> None:
        self._pool.begin(
            seat,
            root,
            nodes=self.limit.nodes,
            simulations=self.limit.simulations,
            movetime_ms=self.limit.movetime_ms,
            previous_phase=self._phases[seat].previous,
            **options,
        )
        self._asked.add(seat)

    def poll(self) -> list[tuple[int, Move]]:
        """One round of collecting, evaluating and backing up; the searches that ended with it."""
        if not self._asked:
            return []
        try:
            self._driver.round()
        except BaseException:
            # Leaves that were handed out will not be answered: such trees cannot go on.
            self._driver.forget()
            for seat in self._asked:
                self._pool.clear(seat)
            self._asked.clear()
            raise
        done = sorted(seat for seat in self._asked if not self._pool.is_running(seat))
        return [(seat, self._finish(seat)) for seat in done]

    def close(self, seat: int) -> None:
        """Leave the game, and drop its tree."""
        self._asked.discard(seat)
        self._pool.remove(seat)
        del self._phases[seat]

    def _finish(self, seat: int) -> Move:
        self._asked.remove(seat)
        self.result = self._pool.finish(seat)
        return Move(
            int(self.result.action),
            float(self.result.value),
            int(self.result.nodes),
            int(self.result.simulations),
        )
