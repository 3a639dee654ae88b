"""Small games in which players move at once, and what they are worth, worked out by hand."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from phasezoo import games

COINS = ((1.0, -1.0), (-1.0, 1.0))
"""Matching pennies: player 0 wants equal actions."""

ROCK_PAPER_SCISSORS = ((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0))

BIASED = ((0.0, -0.25, 0.5), (0.25, 0.0, -1.0), (-0.5, 1.0, 0.0))
"""The same with other stakes. A strategy that nobody can gain against makes all columns 0: with the
stakes paper-rock 0.25, rock-scissors 0.5, scissors-paper 1 its shares go as 1 : 0.5 : 0.25."""


@dataclass(frozen=True)
class Stage:
    """A joint action leads to another stage, or ends the game with a return for each player.

    ``outcomes[i][j]`` is what follows when player 0 plays i and player 1 plays j; of a stage with
    one ``mover`` the others have one entry.
    """

    outcomes: Any
    mover: int | None = None
    ply: int = 0

    @property
    def is_terminal(self):
        return isinstance(self.outcomes[0], float)

    @property
    def to_play(self):
        return games.SIMULTANEOUS if self.mover is None else self.mover

    @property
    def acting(self):
        return () if self.is_terminal else (0, 1) if self.mover is None else (self.mover,)

    def legal_actions_of(self, player):
        count = len(self.outcomes) if player == 0 else len(self.outcomes[0])
        return np.arange(count, dtype=np.int64)

    @property
    def legal_actions(self):
        return self.legal_actions_of(self.mover)

    @property
    def returns(self):
        return np.array(self.outcomes if self.is_terminal else (0.0, 0.0), dtype=np.float32)

    def play(self, action):
        first, second = (0, 0)
        if self.mover is None:
            first, second = (int(each) for each in action)
        elif self.mover == 0:
            first = int(action)
        else:
            second = int(action)
        after = self.outcomes[first][second]
        if isinstance(after, Stage):
            return Stage(after.outcomes, after.mover, self.ply + 1)
        return Stage(after, None, self.ply + 1)

    def planes(self, spec, player=None):
        return np.full((1, 1, 1), -1.0 if player is None else player, dtype=np.float32)


def matrix(payoffs):
    """The game of one stage in which player 0 gains, and player 1 loses, an entry of a matrix."""
    return Stage(tuple(tuple((float(x), -float(x)) for x in row) for row in payoffs))


def value_of(stage):
    """What a zero-sum game of stages with two actions each is worth to player 0, exactly."""
    if stage.is_terminal:
        return stage.outcomes[0]
    worth = [[value_of(_following(after)) for after in row] for row in stage.outcomes]
    if stage.mover == 0:
        return max(row[0] for row in worth)
    if stage.mover == 1:
        return min(worth[0])
    (a, b), (c, d) = worth
    lowest, highest = max(min(a, b), min(c, d)), min(max(a, c), max(b, d))
    # Without a saddle point both mix so that the other gains nothing by either action.
    return lowest if lowest == highest else (a * d - b * c) / (a + d - b - c)


def _following(after):
    return after if isinstance(after, Stage) else Stage(after)


def random_stages(rng, depth):
    """A tree of stages, some of which one player decides alone."""
    mover = [None, None, 0, 1][rng.integers(4)] if depth > 1 else None
    shape = (1 if mover == 1 else 2, 1 if mover == 0 else 2)

    def outcome():
        if depth == 1:
            gain = float(rng.uniform(-1, 1))
            return (gain, -gain)
        return random_stages(rng, depth - 1)

    return Stage(tuple(tuple(outcome() for _ in range(shape[1])) for _ in range(shape[0])), mover)


STAGES = games.register(
    "test-stages",
    initial_state=lambda: matrix(COINS),
    num_players=2,
    num_actions=3,
    plane_specs={"default": (1, 1, 1)},
)
