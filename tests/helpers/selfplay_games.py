"""A small game and an evaluator of one's own, for tests of self-play and of searches."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from phasezoo import games, inference

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclass(frozen=True)
class Crosses:
    """Tic-tac-toe, which counts no plies."""

    cells: tuple[int, ...] = (0,) * 9

    @property
    def winner(self) -> int:
        cells = self.cells
        return next(
            (cells[a] for a, b, c in LINES if cells[a] and cells[a] == cells[b] == cells[c]), 0
        )

    @property
    def to_play(self) -> int:
        return sum(map(abs, self.cells)) % 2

    @property
    def is_terminal(self) -> bool:
        return self.winner != 0 or 0 not in self.cells

    @property
    def legal_actions(self) -> Any:
        free = [] if self.is_terminal else [i for i, cell in enumerate(self.cells) if cell == 0]
        return np.array(free, dtype=np.int64)

    @property
    def returns(self) -> Any:
        return np.array([self.winner, -self.winner], dtype=np.float32)

    def play(self, action: int) -> Any:
        stone = 1 - 2 * self.to_play
        return type(self)((*self.cells[:action], stone, *self.cells[action + 1 :]))

    def planes(self, spec: str, player: int | None = None) -> Any:
        own = (1 - 2 * self.to_play) * np.array(self.cells).reshape(3, 3)
        return np.stack([own == 1, own == -1]).astype(np.float32)


class Rowwise:
    """An evaluator whose answers are made of each row's planes alone."""

    def __init__(
        self, actions: int, plane_spec: str = "default", nan_after: int | None = None
    ) -> None:
        self.plane_spec = plane_spec
        self._actions = actions
        self._rows_left = nan_after

    def evaluate(self, planes: Any) -> inference.Evaluation:
        rows = planes.reshape(len(planes), -1).astype(np.float64)
        places = np.arange(1, rows.shape[1] + 1)
        mixed = np.array([np.dot(row, np.sin(places * 12.9898)) for row in rows])
        value = np.sin(mixed * 7.1).astype(np.float32) * 0.9
        logits = np.sin(mixed[:, None] * 3.3 + np.arange(self._actions)).astype(np.float32)
        if self._rows_left is not None:
            self._rows_left -= len(planes)
            if self._rows_left < 0:
                value[:] = np.nan
        return inference.Evaluation(policy_logits=logits, value=value)


def register() -> None:
    """Make the games known."""
    games.register(
        "own-crosses",
        initial_state=Crosses,
        num_players=2,
        num_actions=9,
        plane_specs={"default": (2, 3, 3)},
    )
