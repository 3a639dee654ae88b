"""Opponents of many games that are asked from outside the native code: agents and callables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo._core import GameVector, Stream
from phasezoo.envs.opponents import Callee, Opponent, check_choice, choose, opponent_of
from phasezoo.envs.vector_infos import VectorGate
from phasezoo.errors import GameForfeited
from phasezoo.observation import GameRunner, Turn, View
from phasezoo.specs import renamed_method
from phasezoo.types import SIMULTANEOUS, Gate, Info

Actions = npt.NDArray[np.int64]
Key = tuple[int, int]
"""A game's row, and a player in it."""


@dataclass
class _Slot:
    """An opponent in one game."""

    seed: int
    """The game's."""
    opponent: Opponent | None
    """None for an agent that answers all its boards together."""
    pool: int = -1
    """Such an agent's place among the opponents; its first, if it has several."""
    number: int = -1
    """Its number of this game."""
    last: Any = None
    """The state that such an agent was asked for last."""
    moves: tuple[Info, ...] = ()
    """Info of moves: their own last one; of the learner's they see nothing."""
    phase: int | None = None
    """By their own gate, the phase one ply before."""


class VectorOpponents:
    """Answers for every player but the learners, as the opponents of single environments do.

    Opponents may be of different kinds. An agent has a game of its own on each board: its tree
    and its random stream. Agents with ``session_pool(game)`` answer all waiting boards together;
    the sessions of others are asked one by one, and so are callables, with the observation and info
    that they ask to see.

    Args:
        kinds: For each player but the learner, in order: what
            :func:`~phasezoo.envs.opponents.resolve` gives.
        runner: Knows the rules of the games.
        gate: Knows the games' phases.

    Raises:
        PhasezooError: A callable refuses the gate.
    """

    def __init__(self, kinds: Sequence[Any], runner: GameRunner, gate: VectorGate) -> None:
        self._kinds = kinds
        self._runner = runner
        for kind in kinds:
            if isinstance(kind, Callee) and kind.view.check_gate is not None:
                kind.view.check_gate(self._gate_of(kind))
        self._gate = gate
        self._slots: dict[Key, _Slot] = {}
        self._pools: dict[int, Any] = {}
        """The pools of agents that answer boards together."""
        self._remembers = runner.gate is None and any(
            getattr(_own_gate(kind), "monotone", False) for kind in kinds
        )

    def _gate_of(self, kind: Any) -> Gate | None:
        """The gate that says an opponent's phases: the games', or else its own."""
        return _own_gate(kind) if self._runner.gate is None else self._runner.gate

    def forget(self, rows: Iterable[int]) -> None:
        """Drop the opponents of the games ``rows``, which are reset, even if a seed comes again."""
        reset = set(rows)
        for key in [key for key in self._slots if key[0] in reset]:
            self._leave(key)

    def look(self, vector: GameVector) -> None:
        """Games have begun or moved on: gates of opponents that never go back see every ply."""
        if not self._remembers:
            return
        for row, learner in enumerate(vector.learners()):
            for player in range(len(self._kinds) + 1):
                if player == learner:
                    continue
                kind = self._kinds[_place(learner, player)]
                gate = _own_gate(kind)
                if gate is not None and getattr(gate, "monotone", False):
                    slot = self._slot(vector, kind, row, player)
                    slot.phase = gate(vector.state(row), player, slot.phase)

    def answer(self, vector: GameVector, rows: Sequence[int], players: Sequence[int]) -> Actions:
        """``int64[K]``: the actions of ``players`` in the games ``rows``."""
        learners, phases = vector.learners(), vector.phases()
        actions = np.zeros(len(rows), dtype=np.int64)
        waiting: dict[int, dict[int, tuple[int, Turn, int]]] = {}
        for place, (row, player) in enumerate(zip(rows, players, strict=True)):
            kind = self._kinds[_place(learners[row], player)]
            slot = self._slot(vector, kind, row, player)
            phase = self._gate.phase(row, player, phases)
            turn = self._turn(vector.state(row), slot, kind, player, phase)
            if slot.opponent is not None:
                action = choose(slot.opponent, self._runner, turn, player)
                slot.moves = self._runner.moves_after(turn, player, action)
                actions[place] = action
            elif self._runner.is_idle(turn, player):
                actions[place] = self._runner.legal_actions(turn, player)[0]
            else:
                number = self._ask(slot, turn.state, player)
                waiting.setdefault(slot.pool, {})[number] = (place, turn, player)
        for pool, asked in waiting.items():
            while asked:
                for number, move in self._pools[pool].poll():
                    place, turn, player = asked.pop(number)
                    if move.forfeit is not None:
                        raise GameForfeited(move.forfeit.message, move.forfeit.reason)
                    actions[place] = check_choice(self._runner, turn, player, move.action)
        return actions

    def _ask(self, slot: _Slot, state: Any, player: int) -> int:
        """Ask an agent that answers boards together about one; return its number of the game."""
        pool = self._pools[slot.pool]
        if slot.last is not None and hasattr(pool, "follow"):
            slot.number = pool.follow(slot.number, slot.last, state)
        slot.last = state
        pool.ask(slot.number, state, player)
        return slot.number

    def _slot(self, vector: GameVector, kind: Any, row: int, player: int) -> _Slot:
        """The opponent in one game, a new one for a new game."""
        seed, key = vector.seed(row), (row, player)
        slot = self._slots.get(key)
        if slot is not None and slot.seed == seed:
            return slot
        if slot is not None:
            self._leave(key)
        slot = self._slots[key] = _Slot(seed, None, moves=self._runner.no_moves())
        if (make := renamed_method(kind, "session_pool", "seats")) is not None:
            pool = slot.pool = next(i for i, each in enumerate(self._kinds) if each is kind)
            if pool not in self._pools:
                self._pools[pool] = make(self._runner.game)
            slot.number = self._pools[pool].open(Stream(seed, "session", player).seed())
        else:
            slot.opponent = opponent_of(self._runner.game, kind, player, seed)
        return slot

    def _leave(self, key: Key) -> None:
        slot = self._slots.pop(key)
        if slot.opponent is None:
            self._pools[slot.pool].close(slot.number)

    def _turn(self, state: Any, slot: _Slot, kind: Any, player: int, phase: int) -> Turn:
        """The game as ``player`` observes it; only their own phase is looked at."""
        count = self._runner.game.num_players
        gate = self._gate_of(kind)
        previous: int | None = phase
        if state.to_play == SIMULTANEOUS or self._runner.gate is None:
            # Phases differ between players, or are not those of the vector.
            previous = slot.phase
        phases = [0] * count
        if gate is not None:
            phases[player] = slot.phase = gate(state, player, previous)
        return Turn(state, state.ply, tuple(phases), (gate,) * count, moves=slot.moves)


def _place(learner: int, player: int) -> int:
    """Return the index of the opponent who plays for ``player``."""
    return player - (player > learner)


def _own_gate(kind: Any) -> Gate | None:
    """The gate that a callable brings."""
    view: View | None = kind.view if isinstance(kind, Callee) else None
    return None if view is None else view.gate
