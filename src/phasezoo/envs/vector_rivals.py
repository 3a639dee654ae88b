"""Opponents of many games that are asked from outside the native code: agents and callables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo._core import GameVector
from phasezoo.envs.moments import Moment
from phasezoo.envs.opponents import Opponent, choose, sit_down
from phasezoo.envs.referee import Referee
from phasezoo.errors import InvalidArray
from phasezoo.types import Info

__all__ = ["Rivals"]

Actions = npt.NDArray[np.int64]


@dataclass
class _Seat:
    """An opponent in one game."""

    seed: int
    opponent: Opponent
    told: tuple[Info, ...]
    """What is told of moves: his own last one; of the learner's he sees nothing."""


class Rivals:
    """Answers for every seat but the learners'.

    Seats may be taken by different kinds. An agent that can answer many positions at once
    (``select_batch``) gets all waiting boards in one batch; other agents have a session for each
    game; callables are asked board by board with the observation and info of their own side.

    Args:
        kinds: For each seat but the learner's, in order: an agent, a callable, or the name of a
            native opponent.
        referee: What observations and infos are made by.
    """

    def __init__(self, kinds: Sequence[Any], referee: Referee) -> None:
        self._kinds = kinds
        self._referee = referee
        self._seats: dict[tuple[int, int], _Seat] = {}

    def forget(self, rows: Iterable[int]) -> None:
        """The games ``rows`` are reset: who sits there leaves, also where a seed comes again."""
        gone = set(rows)
        self._seats = {key: seat for key, seat in self._seats.items() if key[0] not in gone}

    def answer(self, vector: GameVector, rows: Sequence[int], players: Sequence[int]) -> Actions:
        """``int64[K]``: the actions of ``players`` in the games ``rows``.

        Raises:
            IllegalAction: One is not legal.
            InvalidArray: An agent answered with another number of actions.
        """
        seats, phases = vector.seats(), vector.phases()
        actions = np.zeros(len(rows), dtype=np.int64)
        batches: dict[int, list[int]] = {}
        for place, (row, player) in enumerate(zip(rows, players, strict=True)):
            kind = self._kind(seats[row], player)
            if hasattr(kind, "select_batch"):
                batches.setdefault(self._kinds.index(kind), []).append(place)
            else:
                actions[place] = self._one(vector, kind, row, player, phases[row])
        for index, places in batches.items():
            actions[places] = self._in_one_batch(
                self._kinds[index],
                vector,
                [rows[place] for place in places],
                [players[place] for place in places],
            )
        return actions

    def _kind(self, learner: int, player: int) -> Any:
        """Who sits in the seat of ``player``."""
        return self._kinds[player - (player > learner)]

    def _one(self, vector: GameVector, kind: Any, row: int, player: int, phase: int) -> int:
        seat = self._seat(vector, kind, row, player)
        moment = self._moment(vector.state(row), phase)._replace(told=seat.told)
        action = choose(seat.opponent, self._referee, moment, player)
        seat.told = self._referee.told(moment, player, action)
        return action

    def _in_one_batch(
        self, kind: Any, vector: GameVector, rows: Sequence[int], players: Sequence[int]
    ) -> Actions:
        states = [vector.state(row) for row in rows]
        actions = np.asarray(kind.select_batch(states, list(players)))
        if actions.shape != (len(states),) or actions.dtype.kind not in "iu":
            message = (
                f"select_batch() of the opponent gave {actions.dtype}{list(actions.shape)} for "
                f"{len(states)} states; one whole number for each is needed"
            )
            raise InvalidArray(message)
        return actions.astype(np.int64)

    def _seat(self, vector: GameVector, kind: Any, row: int, player: int) -> _Seat:
        """The opponent in one game, a new one for a new game."""
        seed = vector.seed(row)
        seat = self._seats.get((row, player))
        if seat is None or seat.seed != seed:
            opponent = sit_down(kind, player, seed)
            seat = self._seats[row, player] = _Seat(seed, opponent, self._referee.no_moves())
        return seat

    def _moment(self, state: Any, phase: int) -> Moment:
        gate = self._referee.gate
        players = range(self._referee.game.num_players)
        phases = tuple(0 if gate is None else gate(state, player, phase) for player in players)
        return Moment(state, state.ply, phases)
