"""Every environment can be observed as packed planes, in every interface."""

import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector.utils import batch_space
from pettingzoo.test import api_test, parallel_api_test
from players import action_for, at_once, opponents

from phasezoo import games
from phasezoo.envs import pommerman_v0
from phasezoo.errors import InvalidConfig

MODES = ("NextStep", "SameStep")


def unpacked(game, shown):
    """The planes that an observation holds."""
    return games.PackedPlanes(shown["bits"], shown["numbers"], game.plane_layout()).unpack()


def test_gymnasiums_checker_passes(plain_id):
    for kind in opponents(plain_id, "random", None):
        env = gym.make(plain_id, observation="packed", **kind).unwrapped
        check_env(env, skip_render_check=True)


def test_unpacked_they_are_the_planes_bit_for_bit(plain_id):
    packed = gym.make(plain_id, observation="packed", max_plies=30)
    plain = gym.make(plain_id, max_plies=30)
    rng = np.random.default_rng(0)
    (ours, info), (theirs, _) = packed.reset(seed=2), plain.reset(seed=2)
    over = False
    while not over:
        assert ours.keys() == {"bits", "numbers"}
        assert packed.observation_space.contains(ours)
        planes = unpacked(packed.unwrapped.game, ours)
        assert (planes.dtype, planes.tobytes()) == (theirs.dtype, theirs.tobytes())
        action = action_for(packed, info, rng)
        ours, _, terminated, truncated, info = packed.step(action)
        theirs = plain.step(action)[0]
        over = terminated or truncated


@pytest.mark.parametrize("mode", MODES)
def test_vectors_show_what_single_environments_show(plain_id, mode):
    def made(way, **keywords):
        return gym.make_vec(
            plain_id, 3, way, observation="packed", max_plies=6, vector_kwargs=keywords or None
        )

    native = gym.make_vec(
        plain_id, 3, observation="packed", max_plies=6, autoreset_mode=mode, threads=2
    )
    sync = made("sync", autoreset_mode=gym.vector.AutoresetMode(mode))
    assert native.observation_space == sync.observation_space
    assert native.single_observation_space == sync.single_observation_space
    ours, theirs = native.reset(seed=3)[0], sync.reset(seed=3)[0]
    rng = np.random.default_rng(0)
    for step in range(9):
        assert_equal(ours, theirs)
        assert native.observation_space.contains(ours)
        actions = native.unwrapped.sample_actions(rng)
        if step == 4:
            native = pickle.loads(pickle.dumps(native))
        (ours, *_, infos), (theirs, *_, expected) = native.step(actions), sync.step(actions)
        for final, other in zip(
            infos.get("final_obs", ()), expected.get("final_obs", ()), strict=True
        ):
            if other is not None:
                assert_equal(final, other)


def assert_equal(ours, theirs):
    assert ours.keys() == theirs.keys() == {"bits", "numbers"}
    for key, array in theirs.items():
        assert ours[key].dtype == array.dtype
        np.testing.assert_array_equal(ours[key], array)


def test_what_is_held_stays():
    envs = gym.make_vec("Chess-v0", 3, observation="packed", opponent=None)
    rng = np.random.default_rng(0)
    envs.reset(seed=1)
    held = []
    for _ in range(6):
        shown = envs.step(envs.unwrapped.sample_actions(rng))[0]
        # One of the two arrays is enough to keep both.
        held.append((shown["bits"][1:], shown["bits"][1:].copy()))
        held.append((shown["numbers"], shown["numbers"].copy()))
    for now, then in held:
        np.testing.assert_array_equal(now, then)


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
def test_pettingzoos_api_test_passes(module):
    env = module.env(observation="packed")
    api_test(env, num_cycles=100)
    env.reset(seed=1)
    agent = env.agents[0]
    observation = env.observe(agent)
    if at_once(module.__name__):  # whose masks are in the infos
        assert observation.keys() == {"bits", "numbers"}
    else:
        assert observation.keys() == {"observation", "action_mask"}
        assert observation["observation"].keys() == {"bits", "numbers"}
    assert env.observation_space(agent).contains(observation)


def test_parallel_players_see_their_own_planes():
    packed = pommerman_v0.parallel_env(mode="team", observation="packed")
    plain = pommerman_v0.parallel_env(mode="team")
    parallel_api_test(packed, num_cycles=20)
    (ours, _), (theirs, _) = packed.reset(seed=4), plain.reset(seed=4)
    game = games.game_of(packed.unwrapped.game_state)
    for name, planes in theirs.items():
        assert packed.observation_space(name).contains(ours[name])
        np.testing.assert_array_equal(unpacked(game, ours[name]), planes)


def test_the_space_draws_from_all_of_itself(plain_id):
    space = gym.make(plain_id, observation="packed").observation_space
    space.seed(0)
    layout = gym.make(plain_id).unwrapped.game.plane_layout()
    drawn = batch_space(space, 200).sample()
    for row in range(200):
        assert space.contains({key: array[row] for key, array in drawn.items()})
    ones = np.unpackbits(
        np.ascontiguousarray(drawn["bits"], "<u8").view(np.uint8), bitorder="little"
    )
    cells = ones.reshape(200, -1, 64 * layout.words_of_plane).mean(axis=0)
    # Every cell is drawn about half the time, what lies behind the last one never.
    assert np.all(np.abs(cells[:, : layout.cells] - 0.5) < 0.25)
    assert not cells[:, layout.cells :].any()
    assert pickle.loads(pickle.dumps(space)) == space


def test_an_observation_that_is_not_known_is_refused(plain_id):
    with pytest.raises(InvalidConfig, match=r"observation='bits': expected .*'packed'"):
        gym.make(plain_id, observation="bits")
    with pytest.raises(InvalidConfig, match=r"observation='bits': expected .*'packed'"):
        gym.make_vec(plain_id, 2, observation="bits")
