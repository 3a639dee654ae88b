"""Opponents of many games that are asked from outside the native code: agents and callables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo._core import GameVector, Stream
from phasezoo.envs.opponents import Callee, Opponent, check_choice, choose, sit_down
from phasezoo.errors import GameForfeited
from phasezoo.observation import GameRunner, Turn, View
from phasezoo.types import SIMULTANEOUS, Gate, Info

__all__ = ["VectorOpponents"]

Actions = npt.NDArray[np.int64]
Key = tuple[int, int]
"""A game's row, and a player in it."""


@dataclass
class _Seat:
    """An opponent in one game."""

    seed: int
    """The game's."""
    opponent: Opponent | None
    """None for an agent that answers all its boards together."""
    table: int = -1
    """Such an agent's place among the opponents; its first, if it has several."""
    number: int = -1
    """Its number of the seat."""
    last: Any = None
    """The state that such an agent was asked for last."""
    moves: tuple[Info, ...] = ()
    """What is told of moves: their own last one; of the learner's they see nothing."""
    phase: int | None = None
    """By their own gate, the phase one ply before."""


class VectorOpponents:
    """Answers for every seat but the learners', as the opponents of single environments do.

    Seats may be taken by different kinds. An agent has a game of its own on each board: its tree
    and its random stream. Agents with ``seats(game)`` answer all boards that wait together; the
    sessions of others are asked one by one, and so are callables, with the observation and info
    that they ask to see.

    Args:
        kinds: For each seat but the learner's, in order: what
            :func:`~phasezoo.envs.opponents.resolve` gives.
        runner: Knows the rules of the games.
    """

    def __init__(self, kinds: Sequence[Any], runner: GameRunner) -> None:
        self._kinds = kinds
        self._runner = runner
        self._seats: dict[Key, _Seat] = {}
        self._tables: dict[int, Any] = {}
        """The seats of agents that answer boards together."""
        self._remembers = runner.gate is None and any(
            getattr(_own_gate(kind), "monotone", False) for kind in kinds
        )

    def forget(self, rows: Iterable[int]) -> None:
        """The games ``rows`` are reset: who sits there leaves, even if a seed comes again."""
        gone = set(rows)
        for key in [key for key in self._seats if key[0] in gone]:
            self._leave(key)

    def look(self, vector: GameVector) -> None:
        """Games have begun or moved on: gates of opponents that never go back see every ply."""
        if not self._remembers:
            return
        seats = vector.seats()
        for row, learner in enumerate(seats):
            for player in range(len(self._kinds) + 1):
                if player == learner:
                    continue
                kind = self._kinds[_place(learner, player)]
                gate = _own_gate(kind)
                if gate is not None and getattr(gate, "monotone", False):
                    seat = self._seat(vector, kind, row, player)
                    seat.phase = gate(vector.state(row), player, seat.phase)

    def answer(self, vector: GameVector, rows: Sequence[int], players: Sequence[int]) -> Actions:
        """``int64[K]``: the actions of ``players`` in the games ``rows``.

        Raises:
            IllegalAction: One is not legal.
            GameForfeited: An opponent gave up, or an engine failed.
        """
        seats, phases = vector.seats(), vector.phases()
        actions = np.zeros(len(rows), dtype=np.int64)
        waiting: dict[int, dict[int, tuple[int, Turn, int]]] = {}
        for place, (row, player) in enumerate(zip(rows, players, strict=True)):
            kind = self._kinds[_place(seats[row], player)]
            seat = self._seat(vector, kind, row, player)
            turn = self._turn(vector.state(row), seat, kind, player, phases[row])
            if seat.opponent is not None:
                action = choose(seat.opponent, self._runner, turn, player)
                seat.moves = self._runner.moves_after(turn, player, action)
                actions[place] = action
            elif self._runner.is_idle(turn, player):
                actions[place] = self._runner.legal_actions(turn, player)[0]
            else:
                number = self._ask(seat, turn.state, player)
                waiting.setdefault(seat.table, {})[number] = (place, turn, player)
        for table, asked in waiting.items():
            while asked:
                for number, move in self._tables[table].poll():
                    place, turn, player = asked.pop(number)
                    if move.forfeit is not None:
                        raise GameForfeited(move.forfeit.told, move.forfeit.reason)
                    actions[place] = check_choice(self._runner, turn, player, move.action)
        return actions

    def _ask(self, seat: _Seat, state: Any, player: int) -> int:
        """Let an agent that answers boards together think about one; the number of its seat."""
        table = self._tables[seat.table]
        if seat.last is not None and hasattr(table, "follow"):
            seat.number = table.follow(seat.number, seat.last, state)
        seat.last = state
        table.ask(seat.number, state, player)
        return seat.number

    def _seat(self, vector: GameVector, kind: Any, row: int, player: int) -> _Seat:
        """The opponent in one game, a new one for a new game."""
        seed, key = vector.seed(row), (row, player)
        seat = self._seats.get(key)
        if seat is not None and seat.seed == seed:
            return seat
        if seat is not None:
            self._leave(key)
        seat = self._seats[key] = _Seat(seed, None, moves=self._runner.no_moves())
        if hasattr(kind, "seats"):
            table = seat.table = next(i for i, each in enumerate(self._kinds) if each is kind)
            if table not in self._tables:
                self._tables[table] = kind.seats(self._runner.game)
            seat.number = self._tables[table].open(Stream(seed, "session", player).seed())
        else:
            seat.opponent = sit_down(self._runner.game, kind, player, seed)
        return seat

    def _leave(self, key: Key) -> None:
        seat = self._seats.pop(key)
        if seat.opponent is None:
            self._tables[seat.table].close(seat.number)

    def _turn(self, state: Any, seat: _Seat, kind: Any, player: int, phase: int) -> Turn:
        """The game as ``player`` is told of it; only their own phase is looked at."""
        count = self._runner.game.num_players
        gate = _own_gate(kind) if self._runner.gate is None else self._runner.gate
        previous: int | None = phase
        if state.to_play == SIMULTANEOUS or self._runner.gate is None:
            # Phases differ between players, or are not those of the vector.
            previous = seat.phase
        phases = [0] * count
        if gate is not None:
            phases[player] = seat.phase = gate(state, player, previous)
        return Turn(state, state.ply, tuple(phases), (gate,) * count, moves=seat.moves)


def _place(learner: int, player: int) -> int:
    """Which of the opponents has the seat of ``player``."""
    return player - (player > learner)


def _own_gate(kind: Any) -> Gate | None:
    """The gate that a callable brings."""
    view: View | None = kind.view if isinstance(kind, Callee) else None
    return None if view is None else view.gate
