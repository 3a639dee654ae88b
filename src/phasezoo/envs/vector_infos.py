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
    """

    def __init__(self, gate: Any) -> None:
        self.native = gate.spec if isinstance(gate, Gate) else None
        """The specification of a native gate."""
        self.is_native = gate is None or self.native is not None
        """Whether nothing is left to do here."""
        self.sees_every_ply = not self.is_native and getattr(gate, "monotone", False)
        """Whether a phase depends on those of the plies before, and is made here."""
        self._gate = gate
        self._phases = np.zeros(0, dtype=np.int64)
        self._ended: dict[int, int] = {}
        self._begun: set[int] = set()

    def look(self, vector: GameVector, *, first: bool) -> None:
        """Games have begun or moved on."""
        if self.is_native:
            return
        if not len(self._phases):
            self._phases = np.zeros(len(vector), dtype=np.int64)
        if first:
            self._ended, self._begun = {}, set()
        for row in set(vector.ended()) - self._ended.keys():
            state, learner = vector.ended_state(row), vector.ended_learner(row)
            self._ended[row] = int(
                self._gate.batch([state], [learner], self._phases[row : row + 1])[0]
            )
        begun = set(vector.restarted()) - self._begun
        # Phases of a game do not look back at those of the game before.
        self._phases[list(begun)] = 0
        self._begun |= begun
        states = [vector.state(row) for row in range(len(vector))]
        self._phases = self._gate.batch(states, vector.learners(), self._phases)

    def write(self, phases: npt.NDArray[np.int64]) -> None:
        """Put the phases into the array of a step."""
        if not self.is_native:
            phases[:] = self._phases

    def final_phases(self, rows: list[int], native: list[int]) -> list[int]:
        """The phases that games which ended in this step showed last."""
        return native if self.is_native else [self._ended[row] for row in rows]
