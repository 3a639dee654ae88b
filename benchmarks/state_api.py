"""The state API from Python: play a random game, asking for planes and mask at every ply."""

import random

from benchmarks.common import Row, compared, sized
from benchmarks.open_spiel_games import playing
from phasezoo import games

PLIES = sized(3_000, 30)


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
    return playing("chess", PLIES)


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
