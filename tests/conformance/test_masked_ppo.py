"""SB3's MaskablePPO trains on the environments as they are: masks come from the env itself."""

import gymnasium as gym
import numpy as np
import pytest
from players import smallest_planes

sb3_contrib = pytest.importorskip("sb3_contrib")


def learns(plain_id, subprocesses):
    """Train for 64 steps; an illegal action would raise."""
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    def make():
        planes = smallest_planes(gym.make(f"phasezoo:{plain_id}").unwrapped.game)
        env = gym.make(f"phasezoo:{plain_id}", illegal="raise", planes=planes, max_plies=20)
        return gym.wrappers.FlattenObservation(env)

    vec_env = SubprocVecEnv([make] * 2) if subprocesses else DummyVecEnv([make] * 2)
    try:
        vec_env.reset()
        assert vec_env.has_attr("action_masks")
        assert np.stack(vec_env.env_method("action_masks")).dtype == np.bool_
        model = sb3_contrib.MaskablePPO(
            "MlpPolicy", vec_env, n_steps=32, batch_size=32, n_epochs=1, seed=0, device="cpu",
            policy_kwargs={"net_arch": [16]},
        )  # fmt: skip
        model.learn(64)
        assert model.num_timesteps == 64
    finally:
        vec_env.close()


def test_maskable_ppo_never_plays_an_illegal_action(plain_id):
    learns(plain_id, subprocesses=False)


@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
@pytest.mark.parametrize("one_id", ["ConnectFour-v0", "PommermanOneVsOne-v0"])
def test_nor_in_processes_of_its_own(one_id):
    learns(one_id, subprocesses=True)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_nor_does_it_in_any_game(plain_id):
    learns(plain_id, subprocesses=True)
