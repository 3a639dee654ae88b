"""Gymnasium's limit of steps: native games stop where those of ``SyncVectorEnv`` do."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

import phasezoo  # noqa: F401 - registers
from phasezoo import agents
from phasezoo.envs import GameVectorEnv
from phasezoo.errors import InvalidConfig
from phasezoo.integrations import sb3

GAMES = [
    ("ConnectFour-v0", {}),
    ("ConnectFour-v0", {"opponent": None, "gate": "plies:3"}),
    ("ConnectFour-v0", {"opponent": agents.RandomAgent(4), "agent_color": "alternate"}),
    ("Chess-v0", {"planes": "minimal", "illegal": "random_legal", "max_plies": 9}),
    ("KRK-v0", {"planes": "minimal", "start": "uniform", "compact_actions": True}),
    ("PommermanFFA-v0", {"opponents": "random"}),
    ("PommermanTeam-v0", {"opponents": "random", "observation": "masked"}),
]
SHARED = ("action_mask", "to_play", "ply", "phase", "illegal_action")
CODES = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}


def made(name, options, mode, limit, count=3):
    native = gym.make_vec(
        name, num_envs=count, autoreset_mode=mode, max_episode_steps=limit, **options
    )
    sync = gym.make_vec(
        name, num_envs=count, vectorization_mode="sync", max_episode_steps=limit,
        vector_kwargs={"autoreset_mode": mode}, **options,
    )  # fmt: skip
    return native, sync


def same_infos(ours, theirs):
    for key in SHARED:
        known = theirs.get(f"_{key}")
        if known is not None:
            np.testing.assert_array_equal(ours[key][known], theirs[key][known], err_msg=key)


def same_observations(ours, theirs):
    if isinstance(theirs, dict):
        for key, value in theirs.items():
            np.testing.assert_array_equal(ours[key], value)
    else:
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("limit", [1, 4])
@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_both_stop_at_the_same_steps(name, options, mode, limit):
    native, sync = made(name, options, mode, limit)
    ours, theirs = native.reset(seed=3), sync.reset(seed=3)
    same_observations(ours[0], theirs[0])
    rng = np.random.default_rng(1)
    cut = ended = 0
    for _ in range(24):
        actions = native.unwrapped.sample_actions(rng)
        ours, theirs = native.step(actions), sync.step(actions)
        same_observations(ours[0], theirs[0])
        for mine, other in zip(ours[1:4], theirs[1:4], strict=True):
            np.testing.assert_array_equal(mine, other)
        same_infos(ours[4], theirs[4])
        over = ours[2] | ours[3]
        cut, ended = cut + ours[3].sum(), ended + ours[2].sum()
        if "final_info" in theirs[4]:
            same_infos(ours[4]["final_info"], theirs[4]["final_info"])
            for row in np.flatnonzero(over):
                same_observations(ours[4]["final_obs"][row], theirs[4]["final_obs"][row])
        if mode == AutoresetMode.DISABLED and over.any():
            for each in (native, sync):
                shown, infos = each.reset(options={"reset_mask": over})
                if each is native:
                    ours = shown, infos
            same_observations(ours[0], shown)
            same_infos(ours[1], infos)
    assert cut > 0
    if limit == 1 and "max_plies" not in options and name != "KRK-v0":
        assert cut >= 24 * 3 // 2


def test_a_game_that_ends_with_its_last_step_is_both():
    native, sync = made("ConnectFour-v0", {"opponent": None}, AutoresetMode.SAME_STEP, 7, count=1)
    for envs in (native, sync):
        envs.reset(seed=1)
        for column in (0, 1, 0, 1, 0, 1):
            envs.step(np.array([column]))
        _, rewards, terminated, truncated, infos = envs.step(np.array([0]))
        assert (rewards[0], terminated[0], truncated[0]) == (1.0, True, True)
        assert infos["final_info"]["action_mask"][0].all()


def test_copies_go_on_counting():
    envs = gym.make_vec("ConnectFour-v0", num_envs=4, max_episode_steps=5).unwrapped
    envs.reset(seed=2)
    rng = np.random.default_rng(0)
    for _ in range(3):
        envs.step(envs.sample_actions(rng))
    for copied in (copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))):
        draws = np.random.default_rng(7)
        cut = [copied.step(copied.sample_actions(draws))[3].tolist() for _ in range(2)]
        assert cut == [[False] * 4, [True] * 4]


def test_the_limit_of_an_id_holds_and_can_be_lifted():
    gym.register(
        "ShortConnectFour-v0",
        entry_point="phasezoo.envs:ConnectFourEnv",
        vector_entry_point="phasezoo.envs:ConnectFourVectorEnv",
        max_episode_steps=2,
    )
    try:
        for given, cut in (({}, True), ({"max_episode_steps": 3}, False)):
            envs = gym.make_vec("ShortConnectFour-v0", num_envs=2, **given)
            envs.reset(seed=1)
            for _ in range(2):
                truncated = envs.step(envs.unwrapped.sample_actions(np.random.default_rng(1)))[3]
            assert truncated.all() == cut
        lifted = gym.make_vec("ShortConnectFour-v0", num_envs=2, max_episode_steps=-1)
        assert isinstance(lifted.unwrapped, GameVectorEnv)
    finally:
        del gym.registry["ShortConnectFour-v0"]


def test_options_of_make_are_taken_by_many_games_too():
    envs = gym.make_vec("ConnectFour-v0", num_envs=2, disable_env_checker=True)
    assert isinstance(envs.unwrapped, GameVectorEnv)
    spec = EnvSpec.from_json(gym.spec("ConnectFour-v0").to_json())
    spec.kwargs = {"num_envs": 3, "opponent": None}
    assert gym.make_vec(spec, max_episode_steps=6).num_envs == 3


@pytest.mark.parametrize("limit", [0, -2, 1.5, True, "5"])
def test_limits_that_are_none_are_refused(limit):
    with pytest.raises(InvalidConfig, match=r"max_episode_steps=.*whole number"):
        gym.make_vec("ConnectFour-v0", num_envs=2, max_episode_steps=limit)


def test_stable_baselines_is_told_that_time_was_up():
    envs = sb3.make_vec_env("ConnectFour-v0", n_envs=2, seed=1, max_episode_steps=2)
    envs.reset()
    for _ in range(2):
        _, _, done, infos = envs.step(np.array([0, 3]))
    assert done.all()
    assert [info["TimeLimit.truncated"] for info in infos] == [True, True]
    assert all("terminal_observation" in info for info in infos)
