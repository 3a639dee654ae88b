"""Small games of one's own, which tests register under a name of theirs or change in a subclass."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from phasezoo import games


@dataclass(frozen=True, eq=False)
class Stones:
    """Two players take one to ``most`` stones in turn; who takes the last one has won.

    States equal themselves alone; a subclass that is a dataclass again compares them.
    """

    stones: int = 7
    turn: int = 0

    most = 3

    @classmethod
    def register(cls, name: str, planes: tuple[int, ...] = (1, 1, 1), **changes: Any) -> games.Game:
        """Make this class known as the game ``name``."""
        given = {"initial_state": cls, "num_players": 2, "num_actions": cls.most}
        return games.register(name, plane_specs={"default": planes}, **given | changes)

    @property
    def to_play(self) -> int:
        return self.turn

    @property
    def is_terminal(self) -> bool:
        return self.stones <= 0

    @property
    def legal_actions(self) -> Any:
        return np.arange(min(self.most, self.stones))

    @property
    def returns(self) -> Any:
        won = 1.0 if self.turn == 1 else -1.0
        return np.array([won, -won] if self.is_terminal else [0, 0], dtype=np.float32)

    def play(self, action: Any) -> Any:
        return type(self)(self.stones - 1 - int(action), 1 - self.turn)

    def planes(self, spec: str, player: int | None = None) -> Any:
        return np.full((1, 1, 1), self.stones, dtype=np.float32)
