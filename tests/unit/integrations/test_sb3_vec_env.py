"""Native vectors as VecEnvs of Stable-Baselines3: the same games, and what its algorithms ask."""

import copy
import itertools
import pickle

import gymnasium as gym
import numpy as np
import pytest

from phasezoo import envs as phasezoo_envs, games
from phasezoo.envs import GameVectorEnv
from phasezoo.errors import InvalidConfig, InvalidState

sb3_contrib = pytest.importorskip("sb3_contrib", reason="needs the extra sb3")
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize  # noqa: E402

from phasezoo.integrations import sb3  # noqa: E402

ENVIRONMENTS = {
    "chess": ("Chess-v0", {"opponent": "random", "planes": "minimal", "agent_color": "random"}),
    "self-play": ("Chess-v0", {"opponent": None, "planes": "minimal", "gate": "material"}),
    "crazyhouse": ("Crazyhouse-v0", {"planes": "minimal", "observation": "masked"}),
    "connect-four": ("ConnectFour-v0", {"opponent": "random", "gate": "plies:5,10"}),
    "krk": ("KRK-v0", {"start": "dtm", "dtm": (1, 3), "planes": "minimal"}),
    "compact": ("KRK-v0", {"start": "uniform", "planes": "minimal", "compact_actions": True}),
    "pommerman": ("PommermanFFA-v0", {"opponents": "random", "player": "alternate"}),
    "radio": ("PommermanTeamRadio-v0", {"opponents": "random", "observation": "masked"}),
}
TOLD = (
    "to_play", "ply", "phase", "result", "reason", "winners", "illegal_action",
    "TimeLimit.truncated",
)  # fmt: skip


def dummy(env_id, count, **options):
    """What SB3 makes of the scalar environment."""

    def make():
        return Monitor(gym.make(env_id, **options))

    return DummyVecEnv([make] * count)


def assert_equal(ours, theirs):
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            assert_equal(ours[key], theirs[key])
        return
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


def assert_infos_equal(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        for key in TOLD:
            assert (key in mine) == (key in other), key
            assert mine.get(key) == other.get(key), key
        assert ("terminal_observation" in mine) == ("terminal_observation" in other)
        if "terminal_observation" in mine:
            assert_equal(mine["terminal_observation"], other["terminal_observation"])
            assert {key: mine["episode"][key] for key in "rl"} == {
                key: other["episode"][key] for key in "rl"
            }


def legal(masks, parts, rng, wrong=0.05):
    """A legal action for each row, some of them illegal where actions have no parts."""
    if parts is not None:
        edges = np.cumsum((0, *parts))
        spans = list(itertools.pairwise(edges))
        return np.array([[rng.choice(np.flatnonzero(m[a:b])) for a, b in spans] for m in masks])
    actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
    bad = rng.random(len(actions)) < wrong
    actions[bad] = rng.integers(0, masks.shape[1], bad.sum())
    return actions


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_games_are_those_of_dummy_vec_env(name):
    env_id, options = ENVIRONMENTS[name]
    options = options | {"max_plies": 15}
    ours, theirs = sb3.make_vec_env(env_id, 3, seed=5, **options), dummy(env_id, 3, **options)
    theirs.seed(5)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(2):  # the second time without a seed: the streams go on
        assert_equal(ours.reset(), theirs.reset())
        for _ in range(40):
            masks = np.stack(ours.env_method("action_masks"))
            assert_equal(masks, np.stack(theirs.env_method("action_masks")))
            actions = legal(masks, ours.vector.game.action_parts, rng)
            mine, other = ours.step(actions), theirs.step(actions)
            for column in range(3):
                assert_equal(mine[column], other[column])
            assert_infos_equal(mine[3], other[3])
            for key in ("ply", "phase", "to_play"):
                assert [info[key] for info in ours.reset_infos] == [
                    info[key] for info in theirs.reset_infos
                ]
            ends += int(mine[2].sum())
    assert ends > 6


def test_infos_tell_what_they_are_asked_to():
    options = {"start": "dtm", "dtm": (1, 3), "planes": "minimal", "max_plies": 6}
    names = ("fen", "dtm", "dtm_difference")
    ours = sb3.make_vec_env("KRK-v0", 3, seed=2, infos=names, **options)
    theirs = dummy("KRK-v0", 3, **options)
    theirs.seed(2)
    assert_equal(ours.reset(), theirs.reset())
    rng = np.random.default_rng(1)
    for _ in range(30):
        actions = legal(ours.action_masks(), None, rng, wrong=0.0)
        for mine, other in zip(ours.step(actions)[3], theirs.step(actions)[3], strict=True):
            assert {name: mine[name] for name in names} == {name: other[name] for name in names}


def test_options_are_those_of_the_next_reset():
    ours, theirs = sb3.make_vec_env("ConnectFour-v0", 2, seed=1), dummy("ConnectFour-v0", 2)
    theirs.seed(1)
    for each in (ours, theirs):
        each.set_options({"columns": "4453"})
    assert_equal(ours.reset(), theirs.reset())
    assert [info["ply"] for info in ours.reset_infos] == [4, 4]
    ours.reset()
    assert [info["ply"] for info in ours.reset_infos] == [0, 0]
    ours.set_options([{"columns": "4"}, {"columns": "5"}])
    with pytest.raises(InvalidConfig, match="one dict"):
        ours.reset()


def test_seeds_make_games_again():
    first = sb3.make_vec_env("KRK-v0", 3, seed=7, start="uniform").reset()
    again = sb3.make_vec_env("KRK-v0", 3, start="uniform")
    assert again.seed(7) == [7, 8, 9]
    assert_equal(again.reset(), first)
    assert not np.array_equal(again.reset(), first)


def test_what_algorithms_ask_of_environments():
    envs = sb3.make_vec_env("ConnectFour-v0", 3, render_mode="rgb_array", gate="plies:2")
    with pytest.raises(InvalidState, match="reset"):
        envs.env_method("action_masks")
    envs.reset()
    assert envs.has_attr("action_masks")
    assert not envs.has_attr("no_such_thing")
    assert [mask().sum() for mask in envs.get_attr("action_masks", [0, 2])] == [7, 7]
    assert len(envs.env_method("action_masks", indices=1)) == 1
    states = envs.get_attr("game_state")
    assert [state.ply for state in states] == [envs.vector.states[row].ply for row in range(3)]
    assert envs.get_attr("gate", 0) == [envs.vector.gate]
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(gym.wrappers.TimeLimit) == [False] * 3
    with pytest.raises(AttributeError, match="native code have no such method"):
        envs.env_method("set_game_state")
    with pytest.raises(InvalidConfig, match="anew with other options"):
        envs.set_attr("gate", None)
    assert len(envs.get_images()) == 3
    assert envs.render("rgb_array").shape == (1024, 1024, 3)
    envs.close()


def test_phases_can_be_part_of_what_is_observed():
    envs = sb3.make_vec_env(
        "ConnectFour-v0", 4, seed=1, gate="plies:4,8", with_phase=True, opponent=None
    )
    observations = envs.reset()
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(60):
        assert envs.observation_space.contains({key: part[0] for key, part in observations.items()})
        actions = legal(envs.action_masks(), None, rng, wrong=0.0)
        observations, _, dones, infos = envs.step(actions)
        for row, done in enumerate(dones):
            told = envs.reset_infos[row] if done else infos[row]
            assert np.flatnonzero(observations["phase"][row]).tolist() == [told["phase"]]
            seen.add(told["phase"])
            if done:
                last = infos[row]["terminal_observation"]["phase"]
                assert last.argmax() == infos[row]["phase"]
    assert seen == {0, 1, 2}
    with pytest.raises(InvalidConfig, match="gate="):
        sb3.make_vec_env("ConnectFour-v0", 2, with_phase=True)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_copies_go_on_as_the_original_does(copied):
    envs = sb3.make_vec_env("ConnectFour-v0", 3, seed=2)
    envs.reset()
    envs.step(np.array([1, 2, 3]))
    other = copied(envs)
    rng = np.random.default_rng(3)
    for _ in range(40):
        actions = legal(envs.action_masks(), None, rng)
        mine, theirs = envs.step(actions), other.step(actions)
        for column in range(3):
            assert_equal(mine[column], theirs[column])
        assert_infos_equal(mine[3], theirs[3])


@pytest.mark.filterwarnings("ignore:The environment is already wrapped with a `Monitor`")
def test_wrappers_work():
    envs = VecMonitor(VecNormalize(sb3.make_vec_env("KRK-v0", 4, seed=1, max_plies=6)))
    envs.reset()
    rng = np.random.default_rng(0)
    for _ in range(4):
        masks = np.stack(envs.env_method("action_masks"))
        _, rewards, dones, infos = envs.step(legal(masks, None, rng, wrong=0.0))
    assert rewards.dtype == np.float32
    lengths = [info["episode"]["l"] for info, done in zip(infos, dones, strict=True) if done]
    assert set(lengths) <= {1, 2, 3}


@pytest.mark.parametrize(
    ("policy", "options"),
    [("MlpPolicy", {}), ("MultiInputPolicy", {"observation": "masked"})],
)
def test_algorithms_learn_with_convolutions(policy, options):
    envs = sb3.make_vec_env("ConnectFour-v0", 4, seed=1, **options)
    model = sb3_contrib.MaskablePPO(
        policy, envs, n_steps=16, batch_size=32, n_epochs=1, seed=1, device="cpu",
        policy_kwargs={
            "features_extractor_class": sb3.PlanesExtractor,
            "features_extractor_kwargs": {"features_dim": 16, "channels": 4},
        },
    )  # fmt: skip
    model.learn(128)
    assert model.num_timesteps == 128
    assert len(model.ep_info_buffer) > 4
    assert all(info["r"] in (-1.0, 0.0, 1.0) for info in model.ep_info_buffer)
    mean, _ = evaluate_policy(model, envs, n_eval_episodes=4, deterministic=False)
    assert -1 <= mean <= 1


def test_algorithms_without_masks_learn_too():
    from stable_baselines3 import PPO

    envs = sb3.make_vec_env("ConnectFour-v0", 4, seed=1, illegal="random_legal")
    model = PPO("MlpPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, seed=1, device="cpu")
    assert model.learn(128).num_timesteps == 128


def test_bad_input_is_refused():
    with pytest.raises(gym.error.NameNotFound):
        sb3.make_vec_env("NoSuchGame-v0", 2)
    with pytest.raises(InvalidConfig, match="SameStep"):
        sb3.make_vec_env("KRK-v0", 2, autoreset_mode="Disabled")
    with pytest.raises(InvalidConfig, match="SameStep"):
        sb3.GameVecEnv(GameVectorEnv(2, "connect-four"))
    with pytest.raises(InvalidConfig, match="copy=False: algorithms"):
        sb3.make_vec_env("ConnectFour-v0", 2, copy=False)
    with pytest.raises(InvalidConfig, match="no native vector"):
        sb3.make_vec_env("CartPole-v1", 2)
    with pytest.raises(InvalidConfig, match="expected a phasezoo"):
        sb3.GameVecEnv(gym.make_vec("CartPole-v1", 2))
    gym.register("OwnGame-v0", entry_point=lambda: phasezoo_envs.GymEnv(games.make("chess")))
    try:
        with pytest.raises(InvalidConfig, match="no native vector"):
            sb3.make_vec_env("OwnGame-v0", 2)
    finally:
        del gym.registry["OwnGame-v0"]
    with pytest.raises(InvalidConfig, match="planes"):
        sb3.PlanesExtractor(gym.spaces.Box(0, 1, (4,)))
    envs = sb3.make_vec_env("KRK-v0", 2)
    with pytest.raises(InvalidState, match="step_async"):
        envs.step_wait()
