"""The state API from Python: play a random game, asking for planes and mask at every ply."""

import random

import numpy as np

from benchmarks.common import Row, compared
from phasezoo import games

PLIES = 3_000


def ours() -> float:
    """Random games over our states."""
    chess = games.make("chess")
    rng = random.Random(7)
    state = chess.initial_state()
    for _ in range(PLIES):
        if state.is_terminal:
            state = chess.initial_state()
        state = state.play(rng.choice(state.legal_actions))
        state.planes("v2")
        state.action_mask  # noqa: B018
    return PLIES


def open_spiel() -> float:
    """The same over OpenSpiel's states, with its own observation tensor (20 planes)."""
    import pyspiel

    game = pyspiel.load_game("chess")
    rng = random.Random(7)
    state = game.new_initial_state()
    for _ in range(PLIES):
        if state.is_terminal():
            state = game.new_initial_state()
        state.apply_action(rng.choice(state.legal_actions()))
        if not state.is_terminal():
            np.asarray(state.observation_tensor(), dtype=np.float32)
            np.asarray(state.legal_actions_mask(), dtype=np.int8)
    return PLIES


def rows() -> list[Row]:
    """One row: plies a second, one thread."""
    return [
        compared(
            "state API from Python: play + planes + mask",
            "plies/s",
            "≥ 2x OpenSpiel",
            ours,
            "OpenSpiel (20 planes)",
            open_spiel,
        )
    ]
