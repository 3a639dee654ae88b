"""Stable-Baselines3's `VecEnv.step` over native games, masks included, without a learner."""

import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from benchmarks.common import Row, alone, compared, sized
from benchmarks.pettingzoo_games import NAME, peer
from phasezoo.integrations import sb3

BOARDS = sized(64, 4)
STEPS = sized(60, 2)
LEARNT = sized(4_096, 1_024)


def stepping(envs: Any) -> Callable[[], float]:
    """Random legal play, as a learner steps: masks of all games, one action each."""
    envs.seed(7)
    envs.reset()
    rng = np.random.default_rng(7)

    def work() -> float:
        for _ in range(STEPS):
            masks = np.stack(envs.env_method("action_masks"))
            # The first legal action from a random one on: dear enough choices would hide the step.
            start = int(rng.integers(masks.shape[1]))
            chosen = masks[:, start:].argmax(axis=1) + start
            is_legal = np.take_along_axis(masks, chosen[:, None], axis=1)[:, 0]
            envs.step(np.where(is_legal, chosen, masks.argmax(axis=1)))
        return float(STEPS * BOARDS)

    return work


def ours(**options: Any) -> Callable[[], float]:
    """Chess in native code."""
    return stepping(sb3.make_vec_env("Chess-v0", BOARDS, opponent=None, **options))


def dummies() -> Callable[[], float]:
    """Chess as SB3 vectorises any environment."""
    make = [lambda: Monitor(gym.make("Chess-v0", opponent=None))] * BOARDS
    return stepping(DummyVecEnv(make))


def share_of_learning() -> float:
    """Which share of the time of MaskablePPO's `learn()` is spent stepping environments."""
    from sb3_contrib import MaskablePPO

    envs = sb3.make_vec_env("ConnectFour-v0", 16, seed=1)
    spent, step = [0.0], envs.step_wait

    def timed() -> Any:
        start = time.perf_counter()
        shown = step()
        spent[0] += time.perf_counter() - start
        return shown

    envs.step_wait = timed
    model = MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=256, seed=1, device="cpu")
    start = time.perf_counter()
    model.learn(LEARNT)
    return 100 * spent[0] / (time.perf_counter() - start)


def rows() -> list[Row]:
    """Beside `DummyVecEnv` over the same games, and beside PettingZoo's chess."""
    name = f"SB3 VecEnv.step with masks, {BOARDS} boards, v2 planes"
    return [
        compared(name, "steps/s", "≥ 5x DummyVecEnv", ours(), "DummyVecEnv", dummies(), repeats=3),
        compared(name, "steps/s", "≥ 30x PettingZoo", ours(), NAME, peer, repeats=3),
        alone("MaskablePPO.learn(), Connect Four, 16 boards", "steps/s", "", learning, repeats=1),
        Row("share of it spent in the environments", share_of_learning(), "%", ""),
    ]


def learning() -> float:
    """All of `learn()`."""
    from sb3_contrib import MaskablePPO

    envs = sb3.make_vec_env("ConnectFour-v0", 16, seed=1)
    model = MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=256, seed=1, device="cpu")
    return float(model.learn(LEARNT).num_timesteps)
