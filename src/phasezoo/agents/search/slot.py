"""A slot of a session pool that searches: a game's tree and the events that led to it."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from phasezoo.agents.limit import Limit
from phasezoo.types import Gate


class PhaseMemory:
    """The phase one ply before, which a monotone gate needs; None for other gates."""

    def __init__(self, gate: Gate | None) -> None:
        self._gate = gate if getattr(gate, "monotone", False) else None
        self.previous: int | None = None
        """The phase one ply before the state that was seen last; None if it is not known."""
        self._last: tuple[Any, int] | None = None
        """The state that was seen last, and its phase."""

    def see(self, state: Any, player: int | None = None) -> None:
        """Note that the game stands at ``state``, seen by ``player`` (default: the one to move).

        A state may be shown several times: when it was reached, and when an action is asked for.
        """
        if self._gate is None or state.is_terminal:
            return
        last, phase = (None, None) if self._last is None else self._last
        if last is not None and _is_same(last, state):
            return
        self.previous = phase
        self._last = state, self._gate(state, player, previous=phase)


def _is_same(last: Any, state: Any) -> bool:
    """Whether two states are of one point of a game, as far as they say it."""
    return state is last or (
        getattr(state, "ply", None) is not None
        and [getattr(state, name, None) for name in ("ply", "key")]
        == [getattr(last, name, None) for name in ("ply", "key")]
    )


class Played(NamedTuple):
    """An action, of anyone or of all at once, was played."""

    action: Any
    state: Any
    """Where it led."""


class Asked(NamedTuple):
    """The agent was asked for an action."""

    state: Any
    player: int
    searchmoves: tuple[int, ...] | None = None
    """The actions that were searched alone; None: all."""
    limit: Limit | None = None
    """When this search alone ends; None: as all do."""
    simulations: int | None = None
    """Simulations made for the answer; None while it is awaited, 0 if the search failed."""


Event: TypeAlias = Played | Asked


class SavedSlot(NamedTuple):
    """A slot without its tree, to be made again."""

    seed: int
    history: tuple[Any, ...]
    events: tuple[Event, ...]
    searched_from: int
    """The first event of which the tree holds something."""


class Slot:
    """A game's tree in its pool, and all that has been seen of the game.

    Args:
        tree: The tree's number in the pool.
        seed: Where everything random in the game comes from.
        history: The states before, oldest first.
        gate: Says the phases.
        is_one_players: Whether one player watches, who is known when first asked; otherwise whoever
            is to move sees a state.
        tracker: Makes what rebuilds the state from all that a player has seen; None if the state
            itself is known.
    """

    def __init__(
        self,
        tree: int,
        seed: int,
        history: Sequence[Any],
        gate: Gate | None,
        *,
        is_one_players: bool = False,
        tracker: Callable[[int], Any] | None = None,
    ) -> None:
        self.tree = tree
        self.seed = seed
        self.history = list(history)
        self.events: list[Event] = []
        """The events since, from which a copy makes the tree again."""
        self.searched_from = 0
        """The first event of which the tree still holds something."""
        self.player: int | None = None
        """The player who watches, once known."""
        self._gate = gate
        self._is_one_players = is_one_players
        self._new_tracker = tracker
        self._stream = np.random.default_rng(seed)
        self._phases = PhaseMemory(gate)
        self._tracker: Any = None
        self._was_stopped = False
        for state in history:
            self._see(state)

    @property
    def previous_phase(self) -> int | None:
        """The phase one ply before, which monotone gates need."""
        return self._phases.previous

    def saved(self) -> SavedSlot:
        """Return the slot without its tree."""
        events = tuple(self.events)
        return SavedSlot(self.seed, tuple(self.history), events, self.searched_from)

    def next_seed(self) -> int:
        """The next of the game's random numbers."""
        return int(self._stream.integers(2**63))

    def add(self, event: Event) -> None:
        """Add an event."""
        if self._is_one_players and isinstance(event, Asked) and event.player != self.player:
            self._watch_as(event.player)
        self._see(event.state)
        self.events.append(event)

    def answered(self, simulations: int) -> None:
        """The search asked for last has ended after so many simulations; 0 if it failed."""
        asked = self.events[-1]
        if isinstance(asked, Asked):
            limit = Limit(infinite=True) if self._was_stopped else asked.limit
            self.events[-1] = asked._replace(simulations=simulations, limit=limit)
        self._was_stopped = False

    def was_stopped(self) -> None:
        """Note that the search asked for last ends at an unpredictable point."""
        self._was_stopped = True

    def forget(self) -> None:
        """The tree holds nothing of what was searched so far."""
        self.searched_from = len(self.events)

    def known(self, state: Any) -> Any:
        """``state`` as far as the player knows it."""
        return state if self._tracker is None else self._tracker.state()

    def _watch_as(self, player: int) -> None:
        """Look at all that was seen so far with the eyes of ``player``."""
        self.player = player
        self._phases = PhaseMemory(self._gate)
        self._tracker = None if self._new_tracker is None else self._new_tracker(player)
        for state in (*self.history, *(event.state for event in self.events)):
            self._see(state)

    def _see(self, state: Any) -> None:
        if self._is_one_players and self.player is None:
            return
        self._phases.see(state, self.player)
        if self._tracker is not None:
            self._tracker.observe(state)
