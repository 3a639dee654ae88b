"""One board as a Gymnasium environment: `v2` planes, mask and info, random legal play."""

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401 - registers
from benchmarks.common import Row, alone, compared, sized
from benchmarks.pettingzoo_games import NAME, peer

STEPS = sized(5_000, 50)


class Play:
    """Random legal play on one environment."""

    def __init__(self, opponent: str | None) -> None:
        self.env = gym.make("Chess-v0", opponent=opponent)
        self.info = self.env.reset(seed=7)[1]
        self.rng = np.random.default_rng(7)

    def __call__(self) -> float:
        """So many steps."""
        env, info = self.env, self.info
        for share in self.rng.random(STEPS):
            legal = info["state"].legal_actions
            _, _, terminated, truncated, info = env.step(legal[int(share * len(legal))])
            if terminated or truncated:
                _, info = env.reset()
        self.info = info
        return STEPS


def rows() -> list[Row]:
    """Self-play beside PettingZoo, and with a random opponent (two plies a step)."""
    return [
        compared(
            "Gymnasium env, opponent=None, v2 planes + mask",
            "steps/s",
            "≥ 40x PettingZoo",
            Play(None),
            NAME,
            peer,
        ),
        alone("Gymnasium env, opponent='random'", "steps/s", "", Play("random")),
    ]
