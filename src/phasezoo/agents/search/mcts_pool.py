"""A session pool that searches by MCTS: one pool of trees, one evaluator."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import _core, games
from phasezoo._core import SearchResult
from phasezoo.agents.arguments import actions_of
from phasezoo.agents.base import Move
from phasezoo.agents.limit import Limit
from phasezoo.agents.search.config import SearchConfig
from phasezoo.agents.search.continuation import steps_between
from phasezoo.agents.search.others import (
    OnePlayersGate,
    OnePlayersState,
    check_others,
    needs_others,
)
from phasezoo.agents.search.results import filtered_by
from phasezoo.agents.search.slot import Asked, Event, Played, SavedSlot, Slot
from phasezoo.agents.search.tree_pool import TreePool, rows_or_default
from phasezoo.errors import InvalidState
from phasezoo.inference.evaluator import Leaves
from phasezoo.inference.oracle import Oracle, check_knows
from phasezoo.observation import Observation
from phasezoo.types import SIMULTANEOUS, Gate


class MCTSPool(TreePool):
    """A pool of games that share a ``SearchPool``; see :class:`~phasezoo.agents.base.SessionPool`.

    A copy, or what was pickled, goes on as the original would: trees are made again, the first time
    they are needed, by the searches that made them. That takes an evaluator which answers alike.

    Args:
        game: What is played.
        evaluator: Answers the leaves of all trees.
        config: How every tree searches.
        limit: When every search ends.
        gate: Says the phases of leaves; None: all are phase 0.
        pool_rows: The most rows handed to the evaluator at once; at least ``config.batch_size``,
            so that no tree's batch is cut; default 256, or ``config.batch_size`` if that is more.
        threads: Threads that walk trees and make planes; default
            :data:`~phasezoo.agents.search.tree_pool.DEFAULT_THREADS`.
        others: Who moves all but the searching player, in games whose players move at once.
        information: With ``others``, ``"observed"`` or ``"full"``.
        oracle: Knows what some positions are worth.

    Raises:
        GameMismatch: The evaluator is a network of another game, or the oracle is for others.
        InvalidConfig: An option does not fit the game, or is out of range.
        InvalidPlaneSpec: The evaluator wants planes that the game does not have.
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
        information: str = "observed",
        oracle: Oracle | None = None,
    ) -> None:
        check_others(others, game)
        super().__init__(game, evaluator, limit, gate, threads)
        if others is None and game.native and game.search_others:
            raise needs_others(game)
        if oracle is not None:
            check_knows(oracle, game)
        size = config.batch_size
        self._pool_rows = rows_or_default(pool_rows, size, f"batch_size={size}")
        self._config = config
        self._reuse = config.reuse_tree and others is None
        self._others = others
        self._oracle = oracle
        self._is_observed = others is not None and information == "observed"
        self._saved: dict[int, SavedSlot] = {}
        self._open_pool()

    def _open_pool(self) -> None:
        game: Any = self.game.name if self.game.native else self.game
        gate, others = self._gate, self._others
        if others is not None and not self.game.native:
            # The core sees a game of one player, in whose actions the others' are contained.
            game, others = replace(self.game, num_players=1), None
            gate = None if gate is None else OnePlayersGate(gate)  # type: ignore[assignment]
        config = self._config
        if config.reuse_tree != self._reuse:
            config = replace(config, reuse_tree=self._reuse)
        self._pool = _core.SearchPool(game, config.for_core(), gate, self._threads, others)
        self._drive(
            self._config.batch_size,
            in_flight=self._config.in_flight,
            overlaps=self.game.native,  # a game in Python may not expect several threads
            searchers=None if self._others is None else self._searchers,
            oracle=self._oracle,
        )

    def _searchers(self, leaves: Leaves) -> npt.NDArray[np.int64]:
        """``int64[B]``: for whom each row is searched, if others move the others."""
        if self.game.native:
            return np.asarray(leaves.players)
        return np.array([state.player for state in leaves.states()], dtype=np.int64)

    def tell(self, slot: int, action: Any, state: Any) -> None:
        """Move the tree's root along ``action``."""
        self._rebuild()
        found = self._slots[slot]
        found.add(Played(action, state))
        if self._others is not None:
            return
        if not self._reuse:
            # States of one's own may not count plies: the tree does, while its root moves on.
            if self.game.native:
                self._pool.clear(found.tree)
            else:
                self._pool.advance(found.tree, int(action))
            return
        self._pool.advance(found.tree, int(action))
        if self._pool.inspect(found.tree) is None:  # nothing is left of the searches before
            found.forget()

    def follow(self, slot: int, last: Any, state: Any) -> int:
        """Report all that was played since ``last`` was asked for; see :class:`TreePool`."""
        self._rebuild()
        return super().follow(slot, last, state)

    def _steps(self, last: Any, state: Any) -> list[tuple[Any, Any]] | None:
        """How a game went on from ``last`` to ``state``; None if that is another game."""
        if self._others is None:
            return steps_between(last, state)
        return super()._steps(last, state)

    def ask(
        self,
        slot: int,
        state: Any,
        player: int,
        shown: Observation | None = None,
        *,
        searchmoves: Sequence[int] | None = None,
        limit: Limit | None = None,
    ) -> None:
        """Begin a search at ``state``, among ``searchmoves`` if they are given.

        ``limit`` replaces that of the pool for this search.
        """
        self._rebuild()
        self._check(state, player)
        among = None if searchmoves is None else actions_of("searchmoves", searchmoves)
        asked = Asked(state, player, among, limit)
        self._begin(self._slots[slot], asked, self.limit if limit is None else limit)
        self._asked[self._slots[slot].tree] = slot

    def report(self, slot: int) -> SearchResult:
        """Return the findings of ``slot``'s search so far; any thread may ask."""
        return self._filtered(self._slots[slot], super().report(slot))

    def poll(self) -> list[tuple[int, Move]]:
        """Collect, evaluate and back up once; return the moves of searches that ended with it."""
        if self._saved:
            self._rebuild()
        return super().poll()

    def close(self, slot: int) -> None:
        """Leave the game, and drop its tree."""
        if self._saved.pop(slot, None) is None:
            super().close(slot)

    def _new_slot(self, seed: int, history: Sequence[Any]) -> Slot:
        return Slot(
            int(self._pool.add(seed)),
            seed,
            history,
            self._gate,
            is_one_players=self._others is not None,
            tracker=self.game.tracker if self._is_observed else None,
        )

    def _check(self, state: Any, player: int) -> None:
        self._check_once(state)
        if self._others is None:
            if state.to_play == SIMULTANEOUS:
                raise needs_others(self.game)
            return
        if self._is_out(state, player):
            message = f"player {player} has nothing to search for: their game is over"
            raise InvalidState(message)

    def _begin(self, slot: Slot, asked: Asked, limit: Limit) -> None:
        slot.add(asked)
        root, options = slot.known(asked.state), dict[str, Any]()
        if self._others is not None:
            seed = slot.next_seed()
            if self.game.native:
                options = {"player": asked.player, "seed": seed, "observed": self._is_observed}
            else:
                root = OnePlayersState(root, asked.player, self._others, seed)
        self._pool.begin(
            slot.tree,
            root,
            **limit.words(),
            previous_phase=slot.previous_phase,
            game_options=options,
            searchmoves=asked.searchmoves,
        )

    def _result_of(self, tree: int, slot: Slot) -> SearchResult:
        return self._filtered(slot, super()._result_of(tree, slot))

    def _filtered(self, slot: Slot, result: SearchResult) -> SearchResult:
        """A search's result, less the actions that the oracle advises against."""
        if self._oracle is None:
            return result
        return filtered_by(self._oracle, slot.events[-1].state, result)

    def _finish(self, tree: int) -> Move:
        slot = self._slots[self._asked[tree]]
        move = super()._finish(tree)
        if not self._reuse:
            slot.forget()
        return move

    def _rebuild(self) -> None:
        """Make the trees of a copy, by the searches that made the original's."""
        if not self._saved:
            return
        counts = asdict(self.counts)
        saved, self._saved = self._saved, {}
        left = {number: list(enumerate(slot.events)) for number, slot in saved.items()}
        for number, slot in saved.items():
            self._slots[number] = self._new_slot(slot.seed, slot.history)
        while left:
            left = {
                number: events
                for number, events in left.items()
                if self._replay(number, events, saved[number].searched_from)
            }
            while self._asked:
                self.poll()
        for number, slot in saved.items():
            if slot.events and getattr(slot.events[-1], "simulations", 0) is None:
                asked: Any = slot.events[-1]
                self._begin(self._slots[number], asked, asked.limit or self.limit)
                self._asked[self._slots[number].tree] = number
        self.counts.__dict__.update(counts)  # the copy has not done that work

    def _replay(self, number: int, events: list[tuple[int, Event]], searched_from: int) -> bool:
        """Go on with a slot's events up to the next search of which its tree holds something."""
        slot = self._slots[number]
        while events:
            index, event = events.pop(0)
            if isinstance(event, Played):
                self.tell(number, event.action, event.state)
            elif event.simulations and index >= searched_from:
                known = event.limit is None and not self.limit.is_timed
                limit = self.limit if known else Limit(simulations=event.simulations)
                self._begin(slot, event, limit)
                self._asked[slot.tree] = number
                return True
            elif event.simulations is not None:
                # Random numbers of a tree depend on how many searches there were, not on what
                # they found.
                self._begin(slot, event, self.limit)
                self._pool.stop(slot.tree)
        return False

    def __getstate__(self) -> dict[str, Any]:
        """Without the trees, and with what they are made from again."""
        left_out = ("_pool", "_driver", "_slots", "_asked", "result")
        state = {name: value for name, value in self.__dict__.items() if name not in left_out}
        saved = {number: slot.saved() for number, slot in self._slots.items()}
        return state | {"_saved": self._saved | saved, "counts": replace(self.counts)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        counts = state.pop("counts")
        self.__dict__.update(state, _slots={}, _asked={}, result=None)
        self._open_pool()
        self.counts.add(counts)
