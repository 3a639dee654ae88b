"""Infos of many games: entries on request, and phases that native code cannot know."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo._core import GameVector, Gate
from phasezoo.errors import InvalidConfig
from phasezoo.games.base import Game


class ExtraInfos:
    """Adds what was asked for to infos.

    Args:
        game: The game.
        vector: The games.
        names: Entries: ``"fen"``, ``"reason"``, or one of the game's own numbers.

    Raises:
        InvalidConfig: Something is not known of this game.
    """

    def __init__(self, game: Game, vector: GameVector, names: Sequence[str]) -> None:
        of_state, of_move = vector.number_names()
        self._numbers = [*of_state, *of_move]
        known = ["fen"] * (game.parse_position is not None) + ["reason", *self._numbers]
        wrong = [name for name in names if name not in known]
        if isinstance(names, str) or wrong:
            message = (
                f"infos={names!r}: expected a tuple of names, of {', '.join(map(repr, known))}"
            )
            raise InvalidConfig(message)
        self.names = tuple(dict.fromkeys(names))
        """Names of the entries."""
        self._vector = vector

    def add(
        self, infos: dict[str, Any], present: npt.NDArray[np.bool_], *, last: bool = False
    ) -> None:
        """Add it to ``infos``, each with its presence array."""
        if not self.names:
            return
        numbers = None if not self._numbers else self._vector.numbers(last)
        for name in self.names:
            if name == "fen":
                infos[name] = self._fens(present, last=last)
            elif name == "reason":
                infos[name] = np.array(self._vector.reasons(last), dtype=object)
            elif numbers is not None:
                infos[name] = numbers[:, self._numbers.index(name)].copy()
            infos[f"_{name}"] = present.copy()

    def _fens(self, present: npt.NDArray[np.bool_], *, last: bool) -> npt.NDArray[np.object_]:
        if not last:
            return np.array(self._vector.fens(), dtype=object)
        fens = np.full(len(present), None, dtype=object)
        for row in np.flatnonzero(present).tolist():
            fens[row] = self._vector.ended_state(row).fen
        return fens


class VectorGate:
    """Fills in the phases that native code cannot know.

    Args:
        gate: The gate; None for phase 0 throughout.
        num_players: Of each game.
    """

    def __init__(self, gate: Any, num_players: int) -> None:
        self.native = gate.spec if isinstance(gate, Gate) else None
        """The specification of a native gate."""
        self.is_native = gate is None or self.native is not None
        """Whether nothing is left to do here."""
        self.sees_every_ply = not self.is_native and getattr(gate, "monotone", False)
        """Whether a phase depends on those of the plies before, and is made here."""
        self._gate = gate
        self._players = num_players
        self._phases = np.zeros((0, num_players), dtype=np.int64)
        """By game and player; only the learners' own if the gate looks at no ply before."""
        self._shown = np.zeros(0, dtype=np.int64)
        self._ended: dict[int, int] = {}
        self._begun: set[int] = set()

    def look(self, vector: GameVector, *, first: bool) -> None:
        """Games have begun or moved on."""
        if self.is_native:
            return
        if not len(self._phases):
            self._phases = np.zeros((len(vector), self._players), dtype=np.int64)
        if first:
            self._ended, self._begun = {}, set()
        for row in set(vector.ended()) - self._ended.keys():
            state, learner = vector.ended_state(row), vector.ended_learner(row)
            phases = self._asked([state], [learner], self._phases[row : row + 1])
            self._ended[row] = int(phases[0, learner])
        begun = set(vector.restarted()) - self._begun
        # Phases of a game do not look back at those of the game before.
        self._phases[list(begun)] = 0
        self._begun |= begun
        states = [vector.state(row) for row in range(len(vector))]
        learners = vector.learners()
        self._phases = self._asked(states, learners, self._phases)
        self._shown = self._phases[np.arange(len(states)), learners]

    def _asked(
        self, states: list[Any], learners: Sequence[int], before: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        if not self.sees_every_ply:
            return np.repeat(self._gate.batch(states, learners)[:, None], self._players, axis=1)
        count = len(states)
        each = range(self._players)
        return np.stack([self._gate.batch(states, [p] * count, before[:, p]) for p in each], axis=1)

    def phase(self, row: int, player: int, native: Sequence[int]) -> int:
        """The phase of a game as a player sees it, where ``native`` are those of native code."""
        return native[row] if self.is_native else int(self._phases[row, player])

    def write(self, phases: npt.NDArray[np.int64]) -> None:
        """Put the phases that learners see into the array of a step."""
        if not self.is_native:
            phases[:] = self._shown

    def final_phases(self, rows: list[int], native: list[int]) -> list[int]:
        """The phases that games which ended in this step showed last."""
        return native if self.is_native else [self._ended[row] for row in rows]
