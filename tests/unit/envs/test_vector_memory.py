"""Sizes that memory cannot hold are refused before anything is allocated."""

import gymnasium as gym
import numpy as np
import pytest

from phasezoo import _core, games, gating
from phasezoo.envs import GameVectorEnv
from phasezoo.errors import InvalidConfig

LEFT = r"of memory are left; ask for fewer"


@pytest.mark.parametrize("game", ["chess", "krk", "pommerman-ffa"])
@pytest.mark.parametrize("count", [10**9, 2**60])
def test_a_vector_that_does_not_fit_says_what_was_asked_and_what_is_left(game, count):
    with pytest.raises(InvalidConfig, match=f"num_envs.*{count} of .* bytes each.*{LEFT}"):
        GameVectorEnv(count, game, opponent="random", agent_color=0)


def test_a_gate_of_ones_own_takes_no_memory_before_the_games_do():
    with pytest.raises(InvalidConfig, match=LEFT):
        GameVectorEnv(2**60, gate=gating.make(lambda state: 0, names=("all",)))


@pytest.mark.parametrize("count", [10**30, 0, -1, 2.0, True])
def test_what_counts_nothing_is_refused(count):
    with pytest.raises(InvalidConfig, match=r"num_envs=.*expected a whole number from 1"):
        GameVectorEnv(count)


def test_counts_of_numpy_and_seeds_that_are_none():
    vector = GameVectorEnv(np.int64(2))
    assert len(vector.reset(seed=np.int64(1))[0]) == 2
    for seed in (1.5, "12"):
        with pytest.raises(InvalidConfig, match=r"seed=.*expected a whole number"):
            vector.reset(seed=seed)


def test_the_arrays_of_a_vector_count_too():
    vector = GameVectorEnv(2, "chess")
    row = vector.single_observation_space.shape
    assert np.prod(row) * 4 > 10_000
    with pytest.raises(InvalidConfig, match=LEFT):
        gym.make_vec("Chess-v0", num_envs=10**8)


def test_the_arrays_of_a_vector_are_counted_before_its_games_are_made():
    def asked(**options):
        with pytest.raises(InvalidConfig, match=r"^num_envs: 1000000000 of ") as caught:
            GameVectorEnv(10**9, "chess", **options)
        return int(str(caught.value).split()[3])

    planes = np.prod(GameVectorEnv(1, "chess").single_observation_space.shape)
    assert asked() == asked(observation="none") + 3 * 4 * planes
    assert asked(copy=False) == asked(copy=False, observation="none") + 4 * planes
    assert asked() > 62_000  # measured with what was returned last still held


def test_episodes_and_permutations_are_checked():
    with pytest.raises(InvalidConfig, match=f"rows.*{LEFT}"):
        _core.play_episodes("pommerman-ffa", 2**50, agent="simple")
    with pytest.raises(InvalidConfig, match=f"count.*{LEFT}"):
        _core.permuted(2**62, 0, 0, 2**60)


def test_what_fits_is_made():
    state = games.make("chess").initial_state()
    assert games.encode([state, state]).shape[0] == 2
    assert len(_core.permuted(2**62, 0, 0, 5)) == 5
