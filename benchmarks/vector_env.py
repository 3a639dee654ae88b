"""Many boards stepped in native code: `v2` planes and masks, random legal play."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401 - registers
from benchmarks.common import Row, alone, compared
from benchmarks.pettingzoo_games import NAME, peer

BOARDS = 256
STEPS = 200


def stepping(**options: Any) -> Callable[[], float]:
    """Random legal play on one vector environment."""
    envs = gym.make_vec("Chess-v0", num_envs=BOARDS, opponent=None, **options)
    envs.reset(seed=7)
    rng = np.random.default_rng(7)
    sample, step = envs.unwrapped.sample_actions, envs.step

    def work() -> float:
        for _ in range(STEPS):
            step(sample(rng))
        return STEPS * BOARDS

    return work


def rows() -> list[Row]:
    """One thread beside PettingZoo, and all threads."""
    name = f"native vector env, {BOARDS} boards, v2 planes + mask"
    return [
        compared(
            f"{name}, one thread",
            "steps/s",
            "≥ 500x PettingZoo",
            stepping(threads=1),
            NAME,
            peer,
        ),
        alone(f"{name}, all threads", "steps/s", "", stepping()),
        alone(f"{name}, one thread, copy=False", "steps/s", "", stepping(threads=1, copy=False)),
    ]
