"""Pommerman, beside the figures of the original.

The original is on no registry, so that it cannot run beside us: its figures were taken on another
machine of two cores (an AMD EPYC), with observations for all players in every step.
"""

from collections.abc import Callable

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401 - registers
from benchmarks.common import Row, alone, counted, native, sized
from phasezoo import agents, games, inference

ROWS = {
    ("random", "between-resets"): ("Pommerman, random agents, resets left out", "≥ 2 M", None),
    ("random", "with-resets"): ("Pommerman, random agents, new boards", "≥ 1 M", 6_008.0),
    ("random", "with-planes"): ("the same with planes for all four", "≥ 250 k", 6_008.0),
    ("simple", "with-resets"): ("Pommerman, four SimpleAgents", "≥ 400 k", 313.0),
}

BOARDS, STEPS = sized((256, 200), (4, 5))
SEARCHES, SIMULATIONS = sized((64, 100), (2, 4))


def rows() -> list[Row]:
    """Return the rows of ``crates/phasezoo-core/benches/pommerman.rs``, and two from Python."""
    found = []
    for who, what, *rates in native("pommerman"):
        name, aim, original = ROWS[who, what]
        peer = "" if original is None else "the original, another machine"
        found.append(
            counted(f"{name}, one thread", "steps/s", aim, rates, peer=peer, theirs=original)
        )
    found.append(
        alone(
            f"native vector env, {BOARDS} games against three SimpleAgents, planes, one thread",
            "steps/s",
            "≥ 300 k",
            stepping(),
        )
    )
    found.append(
        alone("Pommerman, single-player search without a network, one thread", "simulations/s", "",
              searching())
    )  # fmt: skip
    return found


def stepping() -> Callable[[], float]:
    """Random play of a learner among SimpleAgents."""
    envs = gym.make_vec("PommermanFFA-v0", num_envs=BOARDS, threads=1)
    envs.reset(seed=7)
    rng = np.random.default_rng(7)

    def work() -> float:
        for _ in range(STEPS):
            envs.step(envs.unwrapped.sample_actions(rng))
        return STEPS * BOARDS

    return work


def searching() -> Callable[[], float]:
    """Many searches at once, the others moved by SimpleUnbiasedAgents."""
    ffa = games.make("pommerman-ffa")
    agent = agents.SinglePlayerMCTSAgent(
        inference.Uniform(), limit=agents.Limit(simulations=SIMULATIONS)
    )
    pool = agent.session_pool(ffa, pool_rows=512, threads=1)
    roots = {pool.open(seed): ffa.initial_state(seed=seed) for seed in range(SEARCHES)}

    def work() -> float:
        for slot, root in roots.items():
            pool.ask(slot, root, 0)
        left = len(roots)
        while left:
            left -= len(pool.poll())
        return SEARCHES * SIMULATIONS

    return work
