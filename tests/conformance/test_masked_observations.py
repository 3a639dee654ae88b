"""Every environment can be observed as a dictionary of planes and mask, in every interface."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test
from players import action_for, at_once, opponents, smallest_planes, without_opponent

from phasezoo import games
from phasezoo.envs import pommerman_v0
from phasezoo.errors import InvalidConfig
from phasezoo.observation.action_parts import flat_mask

KEYS = {"observation", "action_mask"}


def masked(env_id, **options):
    planes = smallest_planes(gym.make(env_id).unwrapped.game)
    return {"observation": "masked", "planes": planes, **options}


def test_gymnasiums_checker_passes(plain_id):
    for kind in opponents(plain_id, "random", None):
        env = gym.make(plain_id, **masked(plain_id, **kind)).unwrapped
        check_env(env, skip_render_check=True)


def test_sb3s_checker_passes(plain_id):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    options = masked(plain_id, **without_opponent(plain_id))
    checker.check_env(gym.make(plain_id, **options), warn=False)


def test_the_mask_is_that_of_the_info(plain_id):
    env = gym.make(plain_id, **masked(plain_id, max_plies=30))
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=2)
    over = False
    while not over:
        assert observation.keys() == KEYS
        np.testing.assert_array_equal(observation["action_mask"], flat_mask(info["action_mask"]))
        assert env.observation_space.contains(observation)
        np.testing.assert_array_equal(
            observation["observation"],
            env.unwrapped.game_state.planes(env.unwrapped._view.planes, env.unwrapped.player),
        )
        observation, _, terminated, truncated, info = env.step(action_for(env, info, rng))
        over = terminated or truncated
    assert observation["action_mask"].all()


def test_vectors_show_the_same(plain_id):
    options = masked(plain_id, max_plies=6, autoreset_mode="SameStep")
    envs = gym.make_vec(plain_id, num_envs=3, **options)
    observations, infos = envs.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(8):
        assert envs.observation_space.contains(observations)
        for row, mask in enumerate(infos["action_mask"]):
            np.testing.assert_array_equal(observations["action_mask"][row], flat_mask(mask))
        observations, *_, infos = envs.step(envs.unwrapped.sample_actions(rng))
        for final in infos.get("final_obs", ()):
            assert final is None or envs.single_observation_space.contains(final)


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
def test_pettingzoos_api_test_passes(module):
    env = module.env()
    env.reset(seed=1)
    planes = smallest_planes(games.game_of(env.unwrapped.game_state))
    env = module.env(observation="masked", planes=planes)
    api_test(env, num_cycles=100)
    env.reset(seed=1)
    observation = env.observe(env.agents[0])
    assert observation.keys() == KEYS
    assert env.observation_space(env.agents[0]).contains(observation)
    if not at_once(module.__name__):
        with pytest.raises(InvalidConfig, match="observation='none'"):
            module.env(observation="none")


@pytest.mark.parametrize("mode", ["ffa", "team", "radio", "1v1"])
def test_parallel_players_see_their_own_mask(mode):
    env = pommerman_v0.parallel_env(mode=mode, observation="masked")
    parallel_api_test(env, num_cycles=20)
    twin = pommerman_v0.parallel_env(mode=mode)
    _, expected = twin.reset(seed=4)
    observations, infos = env.reset(seed=4)
    rng = np.random.default_rng(0)
    while env.agents:
        for name, shown in observations.items():
            np.testing.assert_array_equal(shown["action_mask"], expected[name]["action_mask"])
            assert "action_mask" not in infos[name]
            assert env.observation_space(name).contains(shown)
        actions = {name: rng.integers(6) for name in env.agents}
        observations, _, terminated, _, infos = env.step(actions)
        expected = twin.step(actions)[4]
    assert all(terminated.values())
    assert not any(shown["action_mask"].any() for shown in observations.values())
