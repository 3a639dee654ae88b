"""Small games of one's own: three players in turn, two players at once, and one with a defect."""

from dataclasses import dataclass

import numpy as np

from phasezoo import games


@dataclass(frozen=True)
class Heap:
    """Three players take 1 or 2 from a heap in turn; who takes the last one wins."""

    left: int = 10
    ply: int = 0

    @property
    def to_play(self):
        return self.ply % 3

    @property
    def is_terminal(self):
        return self.left == 0

    @property
    def legal_actions(self):
        return np.arange(min(self.left, 2), dtype=np.int64)

    @property
    def returns(self):
        won = np.full(3, -1.0, dtype=np.float32)
        if self.is_terminal:
            won[(self.ply - 1) % 3] = 1.0
            return won
        return np.zeros(3, dtype=np.float32)

    def play(self, action):
        return Heap(self.left - 1 - int(action), self.ply + 1)

    def planes(self, spec, player=None):
        return np.full((1, 1, 1), self.left, dtype=np.float32)


@dataclass(frozen=True)
class Scissors:
    """Rock, paper, scissors; three rounds, both at once."""

    rounds: tuple = ()

    @property
    def to_play(self):
        return games.SIMULTANEOUS

    @property
    def acting(self):
        return () if self.is_terminal else (0, 1)

    @property
    def is_terminal(self):
        return len(self.rounds) == 3

    @property
    def returns(self):
        won = sum((a - b) % 3 == 1 for a, b in self.rounds)
        lost = sum((b - a) % 3 == 1 for a, b in self.rounds)
        sign = float(np.sign(won - lost)) if self.is_terminal else 0.0
        return np.array([sign, -sign], dtype=np.float32)

    def legal_actions_of(self, player):
        return np.arange(3, dtype=np.int64)

    def play(self, action):
        return Scissors((*self.rounds, (int(action[0]), int(action[1]))))

    def planes(self, spec, player=None):
        return np.full((1, 1, 1), len(self.rounds), dtype=np.float32)


@dataclass(frozen=True)
class Endless:
    """Two players pass in turn, and nobody ever wins."""

    to_play: int = 0
    is_terminal = False
    returns = (0.0, 0.0)
    legal_actions = np.zeros(1, dtype=np.int64)

    def play(self, action):
        return Endless(1 - self.to_play)

    def planes(self, spec, player=None):
        return np.zeros((1, 1, 1), dtype=np.float32)


PLANES = {"default": (1, 1, 1)}


def register():
    games.register("toy-heap", initial_state=Heap, num_players=3, num_actions=2, plane_specs=PLANES)
    games.register(
        "toy-scissors", initial_state=Scissors, num_players=2, num_actions=3, plane_specs=PLANES
    )
    games.register(
        "toy-endless", initial_state=Endless, num_players=2, num_actions=1, plane_specs=PLANES
    )
