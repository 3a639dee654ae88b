"""The peer of the environment rows: random legal play over PettingZoo's chess."""

import sys
import types
from functools import cache
from importlib.metadata import version
from typing import Any

__all__ = ["NAME", "peer"]

NAME = f"PettingZoo {version('pettingzoo')}"
STEPS = 1500


@cache
def _environment() -> Any:
    # Its chess imports pygame, which it needs for drawing alone: an empty module does for playing.
    sys.modules.setdefault("pygame", types.ModuleType("pygame"))
    from pettingzoo.classic import chess_v6

    return chess_v6.env()


def peer() -> float:
    """As its documentation plays: last(), sample(mask), step()."""
    env = _environment()
    env.reset(seed=7)
    for name in env.possible_agents:
        env.action_space(name).seed(7)
    for _ in range(STEPS):
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.reset()
            continue
        env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
    return STEPS
