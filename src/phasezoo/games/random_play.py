"""Random play of any game, for checkers and samples."""

from typing import Any

import numpy as np

from phasezoo.games import contracts, queries
from phasezoo.games.base import Game

MOST_PLIES = 5_000
"""A random game that is longer is given up."""


def random_states(game: Game, count: int, seed: int) -> list[Any]:
    """States of random games, in which nobody has won yet; for the checkers of other objects."""
    return [state for states in random_games(game, count, seed) for state in states]


def random_games(game: Game, count: int, seed: int) -> list[list[Any]]:
    """Return ``count`` states in total, a list for each game; the last game may be cut short."""
    rng = np.random.default_rng(seed)
    played: list[list[Any]] = []
    left = count
    while left > 0:
        state = game.initial_state(seed=int(rng.integers(2**31)))
        states: list[Any] = []
        for _ in range(MOST_PLIES):
            if state.is_terminal or len(states) == left:
                break
            states.append(state)
            state = contracts.played(state, random_action(state, rng))
        played.append(states)
        left -= len(states)
    return played


def random_action(state: Any, rng: np.random.Generator) -> Any:
    """A uniformly random action, or one for each player if several move at once."""
    acting = queries.acting_players(state)
    chosen = [int(rng.choice(queries.legal_actions_of(state, player))) for player in acting]
    return queries.joint_action(state, chosen)
