"""Session pools that search every move with a new tree."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from phasezoo.agents.limit import Limit
from phasezoo.agents.search.slot import Asked, Played, SavedSlot, Slot
from phasezoo.agents.search.tree_pool import TreePool
from phasezoo.inference.counts import Counts
from phasezoo.observation import Observation


class FreshTreePool(TreePool):
    """A pool of games of whose trees nothing is kept from move to move.

    Random numbers depend on how many searches there were, so that a copy, or what was pickled, goes
    on as the original would.
    """

    @abstractmethod
    def _open_pool(self) -> None:
        """Make the pool and its driver."""

    def ask(
        self,
        slot: int,
        state: Any,
        player: int,
        shown: Observation | None = None,
        *,
        limit: Limit | None = None,
    ) -> None:
        """Begin a search at ``state``; ``limit`` replaces that of the pool for this search."""
        self._check_once(state)
        self._check(state, player)
        self._begin_asked(slot, Asked(state, player, limit=limit))

    @abstractmethod
    def _check(self, state: Any, player: int) -> None:
        """Refuse a state that cannot be searched for ``player``."""

    def _new_slot(self, seed: int, history: Sequence[Any]) -> Slot:
        return Slot(int(self._pool.add(seed)), seed, history, self._gate)

    def _options(self, asked: Asked) -> dict[str, Any]:
        """The game's options of a search, besides its root."""
        return {}

    def tell(self, slot: int, action: Any, state: Any) -> None:
        """Report ``action``, which led to ``state``."""
        self._slots[slot].add(Played(action, state))

    def _begin(self, number: int) -> None:
        """Begin the search that was asked for last."""
        slot = self._slots[number]
        asked: Any = slot.events[-1]
        self._pool.begin(
            slot.tree,
            slot.known(asked.state),
            **(self.limit if asked.limit is None else asked.limit).words(),
            previous_phase=slot.previous_phase,
            game_options=self._options(asked),
        )
        self._asked[slot.tree] = number

    def _begin_asked(self, number: int, asked: Asked) -> None:
        """Begin a search; if that is refused, nothing was asked."""
        self._slots[number].add(asked)
        try:
            self._begin(number)
        except BaseException:
            self._slots[number].events.pop()
            raise

    def _follow(self, slot: Slot, played: Played) -> None:
        """Report an action to the tree, if it keeps anything."""

    def __getstate__(self) -> dict[str, Any]:
        """Without the trees: searches that are running begin anew in a copy."""
        left_out = ("_pool", "_driver", "_slots", "_asked", "result")
        state = {name: value for name, value in self.__dict__.items() if name not in left_out}
        return state | {
            "saved": {number: slot.saved() for number, slot in self._slots.items()},
            "counts": Counts() + self.counts,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved: dict[int, SavedSlot] = state.pop("saved")
        counts = state.pop("counts")
        self.__dict__.update(state, _slots={}, _asked={})
        self._open_pool()
        self.counts.add(counts)
        for number, slot in saved.items():
            self._slots[number] = self._new_slot(slot.seed, slot.history)
            for event in slot.events:
                self._slots[number].add(event)
                if isinstance(event, Played):
                    self._follow(self._slots[number], event)
                    continue
                self._begin(number)
                if event.simulations is not None:  # it has ended: what matters is that it was
                    self._pool.clear(self._slots[number].tree)
                    del self._asked[self._slots[number].tree]
