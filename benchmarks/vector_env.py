"""Many boards stepped in native code: `v2` planes and masks, random legal play."""

import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401 - registers
from benchmarks.common import Row, alone, compared, counted, sized
from benchmarks.pettingzoo_games import NAME, peer

BOARDS = sized(256, 8)
MANY = sized(1024, 16)
STEPS = sized(200, 2)


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


def reading(boards: int, steps: int) -> Callable[[], float]:
    """Steps per second inside ``step`` for a learner who reads planes and masks between steps.

    Only the time inside ``step`` counts; what it finds in the caches is what reading left there.
    """
    envs = gym.make_vec("Chess-v0", num_envs=boards, opponent=None, threads=1)
    observations, infos = envs.reset(seed=7)
    rng = np.random.default_rng(7)
    everything = np.arange(boards)

    def run() -> float:
        nonlocal observations, infos
        inside = 0.0
        for _ in range(steps):
            observations.sum()
            rows, legal = np.nonzero(infos["action_mask"])
            first, behind = (
                np.searchsorted(rows, everything),
                np.searchsorted(rows, everything, "right"),
            )
            actions = legal[first + (rng.random(boards) * (behind - first)).astype(np.int64)]
            start = time.perf_counter()
            observations, _, _, _, infos = envs.step(actions)
            inside += time.perf_counter() - start
        return steps * boards / inside

    return run


def read_row() -> Row:
    """A learner who reads everything."""
    run = reading(BOARDS, STEPS)
    run()
    rates = [str(run()) for _ in range(5)]
    name = f"inside step, planes and masks read in between, {BOARDS} boards, one thread"
    return counted(name, "steps/s", "≥ 500 k", rates)


def rows() -> list[Row]:
    """One thread beside PettingZoo, two threads, many boards, and a learner who reads."""
    name = f"native vector env, {BOARDS} boards, v2 planes + mask"
    many = stepping("Chess-v0", MANY, STEPS * BOARDS // MANY, threads=1)
    return [
        compared(
            f"{name}, one thread",
            "steps/s",
            "≥ 900 k",
            chess(threads=1),
            NAME,
            peer,
        ),
        alone(f"{name}, two threads", "steps/s", "≥ 1.5 M", chess(threads=2)),
        alone(f"{name}, one thread, copy=False", "steps/s", "", chess(threads=1, copy=False)),
        alone(f"native vector env, {MANY} boards, one thread", "steps/s", "≥ 800 k", many),
        read_row(),
        alone(
            f"native vector env, {BOARDS} boards, packed v2 planes + mask, two threads",
            "steps/s",
            "≥ 3 M",
            chess(threads=2, observation="packed"),
        ),
    ]
