"""Random games of any game, as a writer is told them, and a small game of one's own."""

from dataclasses import dataclass

import numpy as np
from own_games import Stones

from phasezoo import games
from phasezoo.data.store_file import decisions_a_ply
from phasezoo.games.random_play import random_action
from phasezoo.types import SIMULTANEOUS


@dataclass(frozen=True)
class Nim(Stones):
    """A seed draws how many stones there are."""

    @classmethod
    def begin(cls, seed=None):
        return cls() if seed is None else cls(5 + seed % 4)

    def planes(self, spec, player=None):
        shown = np.zeros((1, 2, 8), dtype=np.float32)
        shown[0, int(player not in (None, self.turn)), : self.stones] = 1
        return shown


@dataclass(frozen=True)
class Matching:
    """Three players say a number at once, three times; who says what nobody else does scores."""

    said: tuple = ()

    to_play = SIMULTANEOUS

    @property
    def acting(self):
        return () if self.is_terminal else (0, 1, 2)

    @property
    def is_terminal(self):
        return len(self.said) == 3

    @property
    def returns(self):
        points = [sum(j.count(j[p]) == 1 for j in self.said) for p in range(3)]
        shown = [(p == max(points)) * 2.0 - 1 for p in points]
        return np.array(shown if self.is_terminal else [0, 0, 0], dtype=np.float32)

    def legal_actions_of(self, player):
        return np.arange(4) if not self.is_terminal else np.empty(0, dtype=np.int64)

    def play(self, action):
        return Matching((*self.said, tuple(int(a) for a in action)))

    def planes(self, spec, player=None):
        shown = np.zeros((4, 3, 3), dtype=np.float32)
        for step, joint in enumerate(self.said):
            for seat, number in enumerate(joint):
                shown[number, step, (seat - (player or 0)) % 3] = 1
        return shown


def register():
    """The two games, as a user's module would."""
    Nim.register("nim", planes=(1, 2, 8), initial_state=Nim.begin)
    games.register(
        "matching",
        initial_state=Matching,
        num_players=3,
        num_actions=4,
        plane_specs={"default": (4, 3, 3)},
    )
    return ("nim", "matching")


OWN = register()
NATIVE = tuple(name for name in games.names() if games.make(name).native)
EVERY = (*NATIVE, *OWN)


def random_game(name, rng, longest=25, searched=True):
    """The arguments of ``StoreWriter.add`` for a random game."""
    game = games.make(name)
    width = decisions_a_ply(game)
    seed = int(rng.integers(1000))
    draws = game.draws_start({}) or name == "nim"
    state = game.initial_state(seed=seed) if draws else game.initial_state()
    told = {"start": f"seed:{seed}" if draws else None, "actions": []}
    visits, values, surprises, phases = [], [], [], []
    while not state.is_terminal and len(told["actions"]) < longest:
        action = random_action(state, rng)
        joint, seen = np.zeros(width, dtype=np.int64), [None] * width
        for place, player in enumerate(games.acting_players(state)):
            seat = player if width > 1 else 0
            joint[seat] = np.atleast_1d(action)[place]
            legal = games.legal_actions_of(state, player)
            if rng.random() < 0.7:
                chosen = rng.choice(legal, min(len(legal), 4), replace=False).tolist()
                seen[seat] = {int(a): int(rng.integers(1, 500)) for a in chosen}
        told["actions"].append(joint)
        known = rng.random(width) < 0.7
        values.append(np.where(known, rng.uniform(-1, 1, width).astype(np.float32), np.nan))
        surprises.append(np.where(known, rng.exponential(size=width).astype(np.float32), np.nan))
        phases.append(rng.integers(-1, 4, width))
        visits.append(seen if width > 1 else seen[0])
        state = state.play(action)
    told["actions"] = np.array(told["actions"], dtype=np.int64).reshape(-1, width)
    over = state.is_terminal
    told["returns"] = None if over else [0.0] * game.num_players
    if searched:
        told |= {"visits": visits, "values": values, "phases": [p.tolist() for p in phases]}
        told["surprises"] = surprises
    return told
