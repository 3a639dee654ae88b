"""Planes of fewer last moves: the full ones without the older moves, wherever planes are made."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo import games
from phasezoo.errors import InvalidPlaneSpec

FIRST = {
    ("chess", "v1"): 23,
    ("chess", "v2"): 20,
    ("chess960", "v2"): 20,
    ("krk", "v1"): 23,
    ("atomic", "v2"): 20,
    ("atomic", "lichess"): 47,
    ("crazyhouse", "v2"): 20,
}
"""Where the planes of the last moves begin, two for each move, newest first."""


def after_random_moves(game: str, plies: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    state = games.make(game).initial_state(seed=seed)
    for _ in range(plies):
        if state.is_terminal:
            break
        state = state.play(int(rng.choice(state.legal_actions)))
    return state


@given(
    st.sampled_from(sorted(FIRST)),
    st.integers(0, 8),
    st.integers(0, 30),
    st.integers(0, 99),
    st.sampled_from([None, 0, 1]),
)
@settings(max_examples=60, deadline=None)
def test_a_shorter_history_is_the_full_one_without_the_older_moves(
    choice: tuple[str, str], history: int, plies: int, seed: int, player: int | None
) -> None:
    name, spec = choice
    state = after_random_moves(name, plies, seed)
    expected = state.planes(spec, player)
    expected[FIRST[choice] + 2 * history : FIRST[choice] + 16] = 0
    np.testing.assert_array_equal(state.planes(f"{spec}:history={history}", player), expected)
    players = None if player is None else [player]
    encoded = games.encode([state], spec, history=history, players=players)
    np.testing.assert_array_equal(encoded[0], expected)


def test_the_text_of_planes_is_canonical() -> None:
    chess = games.make("chess")
    assert chess.plane_spec() == chess.plane_spec("v2:history=8") == "v2"
    assert chess.plane_spec(history=8) == "v2"
    assert chess.plane_spec("v1", 0) == "v1:history=0"
    assert chess.plane_spec("v1:history=0", np.int64(0)) == "v1:history=0"  # type: ignore[arg-type]
    assert chess.plane_shape("v1:history=3") == (39, 8, 8)


@pytest.mark.parametrize(
    ("game", "spec", "history", "words"),
    [
        ("chess", "v2", 9, "show 0 to 8 moves"),
        ("chess", "v2", -1, "show 0 to 8 moves"),
        ("chess", "v2", 2.0, "whole number"),
        ("chess", "v2", True, "whole number"),
        ("chess", "v2:history=4", 5, "give one of them"),
        ("chess", "minimal", 0, "show no moves"),
        ("chess", "v2:history=9", None, "a number from 0 to 8"),
        ("chess", "v2:history=", None, "a number from 0 to 8"),
        ("chess", "minimal:history=1", None, "no such planes"),
        ("crazyhouse", "v1", 4, "show no moves"),
        ("pommerman-ffa", None, 4, "show no moves"),
    ],
)
def test_histories_that_cannot_be_are_refused(
    game: str, spec: str | None, history: Any, words: str
) -> None:
    with pytest.raises(InvalidPlaneSpec, match=words):
        games.make(game).plane_spec(spec, history)


def test_environments_show_as_many_moves_as_they_are_asked_to() -> None:
    env = gym.make("Chess-v0", opponent=None, history=2).unwrapped
    vector = gym.make_vec("Chess-v0", 2, opponent=None, history=2)
    env.reset(seed=1)
    vector.reset(seed=1)
    for _ in range(6):
        action = int(np.flatnonzero(env.action_masks())[0])
        seen = env.step(action)[0]
        rows = vector.step(np.full(2, action))[0]
    np.testing.assert_array_equal(rows, [seen, seen])
    assert seen[20:24].sum() == 4
    assert not seen[24:36].any()
    assert env.observation_space.contains(seen)
    vector.close()
