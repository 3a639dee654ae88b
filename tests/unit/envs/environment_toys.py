"""Small games in Python for the environments: three players in turn, and two at once.

They are the games of `crates/phasezoo-core/tests/suite/toys/games.rs`.
"""

from dataclasses import dataclass, replace

import numpy as np

from phasezoo import games
from phasezoo.types import SIMULTANEOUS


@dataclass(frozen=True)
class Race:
    """Three players in turn add 1, 2 or 3; whoever brings the total to exactly 10 wins."""

    total: int = 0
    ply: int = 0

    @property
    def to_play(self):
        return self.ply % 3

    @property
    def is_terminal(self):
        return self.total == 10

    @property
    def legal_actions(self):
        most = 0 if self.is_terminal else min(3, 10 - self.total)
        return np.arange(1, most + 1, dtype=np.int64)

    @property
    def returns(self):
        if not self.is_terminal:
            return np.zeros(3, dtype=np.float32)
        values = np.full(3, -1.0, dtype=np.float32)
        values[(self.ply + 2) % 3] = 1.0
        return values

    @property
    def key(self):
        return self.total

    def play(self, action):
        return type(self)(self.total + int(action), self.ply + 1)

    def planes(self, spec, player=None):
        player = self.to_play if player is None else player
        return np.array([self.total, player], dtype=np.float32).reshape(2, 1, 1)


@dataclass(frozen=True)
class Pennies:
    """Two players show a coin at once, three times; player 0 wins rounds with equal coins."""

    equal: int = 0
    rounds: int = 0

    @property
    def to_play(self):
        return SIMULTANEOUS

    @property
    def acting(self):
        return () if self.is_terminal else (0, 1)

    @property
    def is_terminal(self):
        return self.rounds == 3

    @property
    def returns(self):
        if not self.is_terminal:
            return np.zeros(2, dtype=np.float32)
        return np.array([1, -1] if self.equal >= 2 else [-1, 1], dtype=np.float32)

    def legal_actions_of(self, player):
        return np.arange(2, dtype=np.int64)

    def play(self, action):
        first, second = action
        return replace(self, equal=self.equal + int(first == second), rounds=self.rounds + 1)

    def planes(self, spec, player=None):
        return np.array([self.equal, player], dtype=np.float32).reshape(2, 1, 1)


@dataclass(frozen=True)
class Mixed:
    """Player 0 moves alone, then both at once, then it is over; the sum decides."""

    score: int = 0
    ply: int = 0

    @property
    def to_play(self):
        return 0 if self.ply == 0 else SIMULTANEOUS

    @property
    def acting(self):
        return ((0,), (0, 1), ())[self.ply]

    @property
    def is_terminal(self):
        return self.ply == 2

    @property
    def legal_actions(self):
        return np.arange(2, dtype=np.int64)

    @property
    def returns(self):
        value = float(np.sign(self.score - 1)) if self.is_terminal else 0.0
        return np.array([value, -value], dtype=np.float32)

    def legal_actions_of(self, player):
        return np.arange(2, dtype=np.int64)

    def play(self, action):
        return Mixed(self.score + int(np.sum(action)), self.ply + 1)

    def planes(self, spec, player=None):
        player = max(self.to_play, 0) if player is None else player
        return np.array([self.score, player], dtype=np.float32).reshape(2, 1, 1)


def drawn_start(seed=0):
    """A race that starts at a total drawn from the seed."""
    return SeededRace(int(seed) % 7)


@dataclass(frozen=True)
class SeededRace(Race):
    def play(self, action):
        return SeededRace(self.total + int(action), self.ply + 1)


SPECS = {"default": (2, 1, 1)}


def register():
    """Register all; a second time is harmless."""
    toys = {"toy-race": (Race, 3, 4), "toy-pennies": (Pennies, 2, 2), "toy-mixed": (Mixed, 2, 2)}
    toys["toy-seeded"] = (drawn_start, 3, 4)
    for name, (start, players, actions) in toys.items():
        games.register(
            name, initial_state=start, num_players=players, num_actions=actions, plane_specs=SPECS
        )


register()
