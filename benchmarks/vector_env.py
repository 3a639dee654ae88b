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


def stepping(env_id: str, boards: int, steps: int, **options: Any) -> Callable[[], float]:
    """Random legal play on one vector environment, the learner moving for all."""
    envs = gym.make_vec(env_id, num_envs=boards, opponent=None, **options)
    envs.reset(seed=7)
    rng = np.random.default_rng(7)
    sample, step = envs.unwrapped.sample_actions, envs.step

    def work() -> float:
        for _ in range(steps):
            step(sample(rng))
        return steps * boards

    return work


def chess(**options: Any) -> Callable[[], float]:
    """Chess."""
    return stepping("Chess-v0", BOARDS, STEPS, **options)


def rows() -> list[Row]:
    """One thread beside PettingZoo, and all threads."""
    name = f"native vector env, {BOARDS} boards, v2 planes + mask"
    return [
        compared(
            f"{name}, one thread",
            "steps/s",
            "≥ 500x PettingZoo",
            chess(threads=1),
            NAME,
            peer,
        ),
        alone(f"{name}, all threads", "steps/s", "", chess()),
        alone(f"{name}, one thread, copy=False", "steps/s", "", chess(threads=1, copy=False)),
    ]
