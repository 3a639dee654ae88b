"""MaskablePPO learns from native vectors, in at most 50,000 steps (``scripts/sb3_curves.py``)."""

import numpy as np
import pytest
import sb3_curves as curves

from phasezoo import games

pytest.importorskip("sb3_contrib", reason="needs the extra sb3")


def test_two_thousand_steps_give_points():
    told = []
    points = curves.train(curves.TASKS["connect-four"], seed=1, steps=2_000, told=told.append)
    assert points == told
    assert [point["steps"] for point in points] == [1024, 2048]
    assert all(0 <= point["wins"] <= 1 for point in points)


def test_random_play_does_as_well_as_through_states():
    """Rewards, starts, the table's answers and the statistics are those of games played by hand."""
    options = {"start": "dtm", "dtm": (1, 1), "max_plies": 8, "compact_actions": True}
    task = curves.Task("", "KRK-v0", options | {"planes": "minimal"})
    wins, moves = curves.random_games(task, seed=1, games=1200)
    game, rng = games.make("krk", start="dtm", dtm=(1, 1)), np.random.default_rng(1)
    by_hand = [random_game(game.initial_state(seed=seed), rng) for seed in range(1200)]
    won, lengths = np.array(by_hand).T
    spread = np.sqrt(2 * won.mean() * (1 - won.mean()) / len(won))
    assert 0.03 < wins < 0.1  # one or two of twenty moves mate
    assert abs(wins - won.mean()) < 5 * spread
    assert abs(moves - lengths.mean()) < 5 * lengths.std() * np.sqrt(2 / len(lengths))


def random_game(state, rng):
    """Whether random play of White won in eight plies against the table, and its moves."""
    moves = 0
    for ply in range(8):
        if state.is_terminal:
            break
        if ply % 2 == 0:
            moves += 1
        choices = state.legal_actions if ply % 2 == 0 else state.best_actions
        state = state.play(int(rng.choice(choices)))
    return state.outcome is not None and state.outcome.winner == 0, moves


@pytest.mark.slow
@pytest.mark.timeout(900)  # half a minute of one core, which others may be using
@pytest.mark.parametrize(
    ("name", "wins"), [("connect-four", 0.8), ("krk", 0.3), ("pommerman", 0.9)]
)
def test_it_learns_to_win(name, wins):
    points = curves.train(curves.TASKS[name], seed=1)
    assert points[-1]["steps"] <= 51_200
    assert points[-1]["wins"] >= wins
    assert points[-1]["wins"] > points[0]["wins"] + 0.1
