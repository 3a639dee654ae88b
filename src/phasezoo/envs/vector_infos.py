"""Entries that infos of many games have on request."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo._core import GameVector
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
        """Add it to ``infos``, each with its presence array.

        Args:
            infos: Of all games.
            present: The games that they are of.
            last: Whether it is that of the games that ended in this step and have been followed by
                others already.
        """
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
