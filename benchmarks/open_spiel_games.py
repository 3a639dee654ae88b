"""A peer of the state rows: random play over OpenSpiel's states."""

import random

import numpy as np


def playing(name: str, steps: int) -> float:
    """Play at random, asking for observation tensor and mask at every ply.

    Args:
        name: The game, as OpenSpiel calls it.
        steps: How many actions.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    rng = random.Random(7)
    state = game.new_initial_state()
    for _ in range(steps):
        if state.is_terminal():
            state = game.new_initial_state()
        state.apply_action(rng.choice(state.legal_actions()))
        if not state.is_terminal():
            np.asarray(state.observation_tensor(), dtype=np.float32)
            np.asarray(state.legal_actions_mask(), dtype=np.int8)
    return steps
