"""The peer of the environment rows: random legal play over PettingZoo's games."""

import sys
import types
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from benchmarks.common import sized

NAME = f"PettingZoo {version('pettingzoo')}"
STEPS = sized(1500, 20)


@cache
def _environment(module: str) -> Any:
    # Its games import pygame, which they need for drawing alone: an empty module does for playing.
    sys.modules.setdefault("pygame", types.ModuleType("pygame"))
    return import_module(f"pettingzoo.classic.{module}").env()


def playing(module: str, steps: int) -> float:
    """As its documentation plays: last(), sample(mask), step().

    Args:
        module: The environment, such as ``"chess_v6"``.
        steps: How many actions, ends of games among them.
    """
    env = _environment(module)
    env.reset(seed=7)
    for name in env.possible_agents:
        env.action_space(name).seed(7)
    for _ in range(steps):
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.reset()
            continue
        env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
    return steps


def peer() -> float:
    """Chess."""
    return playing("chess_v6", STEPS)
