"""Spaces tell the truth: planes lie within their bounds, and the bounds are no wider than that."""

import gymnasium as gym
import numpy as np
import pytest

from phasezoo import games
from phasezoo.games.bounds import UNLIMITED

SPECS = [
    (name, spec)
    for name in ("chess", "chess960", "atomic", "crazyhouse", "krk", "connect-four",
                 "pommerman-ffa",
                 "pommerman-team", "pommerman-team-radio", "pommerman-1v1", "pommerman-1v1-11")
    for spec in games.make(name).plane_specs
]  # fmt: skip
ODD = (
    "QQQQQQQQ/QQQQQQQQ/8/8/8/8/7K/k7 b - - 99 5000",
    "rrrrrrrr/pppppppp/8/k7/8/7K/PPPPPPPP/RRRRRRRR w - - 98 1",
)


def states_of(name, rng):
    """States of random games, and odd ones where a FEN can say them."""
    game = games.make(name)
    for seed in range(4):
        state = game.initial_state(seed=seed)
        for _ in range(120):
            yield state
            if state.is_terminal:
                break
            if state.to_play == games.SIMULTANEOUS:
                state = state.play(rng.integers(6, size=len(state.acting)))
            else:
                state = state.play(int(rng.choice(state.legal_actions)))
    if name in ("chess", "atomic", "crazyhouse"):
        for fen in ODD:
            yield game.from_fen(fen)


@pytest.mark.parametrize(("name", "spec"), SPECS)
def test_planes_lie_within_their_bounds(name, spec):
    game = games.make(name)
    low, high = game.bounds(spec)
    assert low.shape == high.shape == (game.plane_shape(spec)[0],)
    assert low.dtype == high.dtype == np.float32
    rng = np.random.default_rng(3)
    for state in states_of(name, rng):
        for player in range(game.num_players):
            planes = state.planes(spec, player)
            assert (planes >= low[:, None, None]).all()
            assert (planes <= high[:, None, None]).all()


def test_bounds_are_those_of_the_definitions():
    low, high = games.make("chess").bounds("v2")
    assert (low[:19].min(), high[:19].max()) == (0.0, 1.0)
    assert high[19] == 2.0
    assert (low[40], high[40], high[47]) == (-8.0, 8.0, 8.0)
    assert games.make("crazyhouse").bounds("v2")[1][19] == np.float32(UNLIMITED)
    assert games.make("connect-four").bounds()[1].max() == 1.0
    assert games.make("pommerman-ffa").bounds()[0].min() == -1.0
    # What is cut off does not widen what is left.
    np.testing.assert_array_equal(games.make("chess").bounds("v2:history=2")[1], high)


def test_spaces_have_these_bounds():
    env = gym.make("ConnectFour-v0")
    assert env.observation_space == gym.spaces.Box(0.0, 1.0, (3, 6, 7), np.float32)
    envs = gym.make_vec("PommermanFFA-v0", 2)
    low, high = games.make("pommerman-ffa").bounds()
    np.testing.assert_array_equal(envs.single_observation_space.low[:, 0, 0], low)
    np.testing.assert_array_equal(envs.single_observation_space.high[:, 5, 5], high)
