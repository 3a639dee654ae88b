"""Every registered Gymnasium id passes the public checkers and can be made in every way."""

import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, VectorEnv
from players import opponents, without_opponent

from phasezoo.registration import ENVIRONMENTS, register_all

HEADINGS = (
    "Description", "Action Space", "Observation Space", "Starting State", "Rewards", "Episode End",
    "Information", "Arguments", "Version History",
)  # fmt: skip


def test_every_line_of_the_table_is_registered_twice(env_id):
    names = {environment.gymnasium_id for environment in ENVIRONMENTS}
    assert env_id.removeprefix("phasezoo/") in names
    register_all()  # a second call neither warns nor changes anything
    assert env_id in gym.registry


def test_gymnasiums_checker_passes(env_id):
    for kind in opponents(env_id, "random", None):
        check_env(gym.make(env_id, **kind).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("mode", ["ansi", "svg", "rgb_array"])
def test_rendering_passes_the_checker(env_id, mode):
    env = gym.make(env_id, render_mode=mode)
    env.reset(seed=1)
    picture = env.render()
    if mode == "rgb_array":
        assert picture.dtype == np.uint8
        assert picture.ndim == 3
        assert picture.shape[2] == 3
    else:
        assert isinstance(picture, str)


def test_sb3s_checker_passes(env_id):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    # Its warnings that the observation looks like an image are allowed in pyproject.toml.
    checker.check_env(gym.make(env_id, **without_opponent(env_id)), warn=False)


def test_specs_survive_json(env_id):
    spec = gym.spec(env_id)
    again = EnvSpec.from_json(spec.to_json())
    assert again.entry_point == spec.entry_point
    assert again.vector_entry_point == spec.vector_entry_point
    gym.make(again).close()


def test_make_vec_gives_the_native_environment(env_id):
    envs = gym.make_vec(env_id, num_envs=3, **without_opponent(env_id))
    assert isinstance(envs, VectorEnv)
    assert not isinstance(envs, gym.vector.SyncVectorEnv)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    observations, infos = envs.reset(seed=3)
    assert envs.observation_space.contains(observations)
    assert envs.single_observation_space.contains(observations[0])
    actions = envs.unwrapped.sample_actions(np.random.default_rng(0))
    assert envs.action_space.contains(actions)
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    assert envs.observation_space.contains(observations)
    assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, bool, bool)
    for key, value in infos.items():
        assert isinstance(value, np.ndarray), key
        assert value.shape[0] == 3
        assert key.startswith("_") or infos[f"_{key}"].dtype == np.bool_
    envs.close()


def test_vector_wrappers_of_gymnasium_work(env_id):
    envs = gym.wrappers.vector.RecordEpisodeStatistics(
        gym.make_vec(env_id, num_envs=4, max_plies=5, **without_opponent(env_id))
    )
    rng = np.random.default_rng(0)
    envs.reset(seed=0)
    for _ in range(5):
        *_, infos = envs.step(envs.unwrapped.sample_actions(rng))
    assert infos["episode"]["l"].tolist() == [5, 5, 5, 5]


def test_the_docstring_has_all_headings(env_id):
    text = type(gym.make(env_id).unwrapped).__doc__
    found = [line.split("## ")[1] for line in text.splitlines() if line.strip().startswith("## ")]
    assert tuple(found) == HEADINGS


def test_the_ids_work_in_a_process_that_has_not_imported_us():
    names = [each.gymnasium_id for each in ENVIRONMENTS]
    ids = [*names, *(f"phasezoo/{name}" for name in names)]
    code = (
        "import sys, gymnasium as gym\n"
        "heavy = {'torch', 'pygame', 'chess', 'onnxruntime', 'pyarrow', 'matplotlib'}\n"
        f"for env_id in {ids}:\n"
        "    gym.make('phasezoo:' + env_id).reset(seed=1)\n"
        "    assert not heavy & set(sys.modules), (env_id, heavy & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
