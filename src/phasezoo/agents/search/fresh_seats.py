"""Many games of an agent that searches every move with a new tree."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from phasezoo.agents.limit import Limit
from phasezoo.agents.search.pooled_seats import PooledSeats
from phasezoo.agents.search.seat import Asked, Played, SavedSeat, Seat
from phasezoo.inference.counts import Counts
from phasezoo.observation import Observation


class FreshTreeSeats(PooledSeats):
    """Games that share a pool, and of whose trees nothing is kept from move to move.

    Random numbers depend on how many searches there were, so that a copy, or what was pickled, goes
    on as the original would.
    """

    @abstractmethod
    def _open_pool(self) -> None:
        """Make the pool and its driver."""

    @abstractmethod
    def ask(
        self,
        seat: int,
        state: Any,
        player: int,
        shown: Observation | None = None,
        *,
        limit: Limit | None = None,
    ) -> None:
        """Begin a search at ``state``; ``limit`` replaces that of the seats for this search."""

    def _new_seat(self, seed: int, history: Sequence[Any]) -> Seat:
        return Seat(int(self._pool.add(seed)), seed, history, self._gate)

    def _options(self, asked: Asked) -> dict[str, Any]:
        """The game's options of a search, besides its root."""
        return {}

    def tell(self, seat: int, action: Any, state: Any) -> None:
        """Take in what was played."""
        self._seats[seat].add(Played(action, state))

    def _begin(self, number: int) -> None:
        """Begin the search that was asked for last."""
        seat = self._seats[number]
        asked: Any = seat.events[-1]
        self._pool.begin(
            seat.tree,
            seat.known(asked.state),
            **(self.limit if asked.limit is None else asked.limit).words(),
            previous_phase=seat.previous_phase,
            game_options=self._options(asked),
        )
        self._asked[seat.tree] = number

    def _begin_asked(self, number: int, asked: Asked) -> None:
        """Begin a search; if that is refused, nothing was asked."""
        self._seats[number].add(asked)
        try:
            self._begin(number)
        except BaseException:
            self._seats[number].events.pop()
            raise

    def _follow(self, seat: Seat, played: Played) -> None:
        """Tell the tree of what was played, if it matters to it."""

    def __getstate__(self) -> dict[str, Any]:
        """Without the trees: searches that are running begin anew in a copy."""
        left_out = ("_pool", "_driver", "_seats", "_asked", "result")
        state = {name: value for name, value in self.__dict__.items() if name not in left_out}
        return state | {
            "saved": {number: seat.saved() for number, seat in self._seats.items()},
            "counts": Counts() + self.counts,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved: dict[int, SavedSeat] = state.pop("saved")
        counts = state.pop("counts")
        self.__dict__.update(state, _seats={}, _asked={}, result=None)
        self._open_pool()
        self.counts.add(counts)
        for number, seat in saved.items():
            self._seats[number] = self._new_seat(seat.seed, seat.history)
            for event in seat.events:
                self._seats[number].add(event)
                if isinstance(event, Played):
                    self._follow(self._seats[number], event)
                    continue
                self._begin(number)
                if event.simulations is not None:  # it has ended: what matters is that it was
                    self._pool.clear(self._seats[number].tree)
                    del self._asked[self._seats[number].tree]
