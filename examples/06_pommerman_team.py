"""A team game of Pommerman with an agent of one's own, and the film of it.

The learner is player 0; the partner is player 2, the other team players 1 and 3.
"""

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo import agents, inference
from phasezoo.envs.rendering import save_replay

STOP, UP, DOWN, LEFT, RIGHT, BOMB = range(6)
STEPS = {UP: (-1, 0), DOWN: (1, 0), LEFT: (0, -1), RIGHT: (0, 1)}


def careful(observation, info):
    """Walks where no bomb's line is, and lays a bomb beside wood when it can walk away.

    Of the 23 planes: 0 rigid walls, 1 wood, 2 to 4 power-ups, 6 the reach of bombs (in elevenths),
    9 flames, 10 itself, 11 to 13 the others by relative index.
    """
    size = observation.shape[1]
    row, column = np.argwhere(observation[10])[0]
    blocked = observation[[0, 1, 6, 9, 11, 12, 13]].any(axis=0)
    danger = np.zeros((size, size), dtype=bool)
    for r, c in np.argwhere(observation[6]):
        reach = round(11 * observation[6, r, c])
        danger[r, max(0, c - reach) : c + reach + 1] = True
        danger[max(0, r - reach) : r + reach + 1, c] = True
    ways = [
        action
        for action, (down, right) in STEPS.items()
        if 0 <= row + down < size
        and 0 <= column + right < size
        and not blocked[row + down, column + right]
    ]
    safe = [a for a in ways if not danger[row + STEPS[a][0], column + STEPS[a][1]]]
    if danger[row, column]:
        return int(np.random.default_rng(info["ply"]).choice(safe or ways or [STOP]))
    around = [(row + d, column + r) for d, r in STEPS.values()]
    at_wood = any(0 <= r < size and 0 <= c < size and observation[1, r, c] for r, c in around)
    if at_wood and len(safe) > 1:
        return BOMB
    return int(np.random.default_rng(info["ply"]).choice([*safe, STOP]))


# The partner plans; the opponents are the original's. In teams `opponents` has the partner too.
partner = agents.SinglePlayerMCTSAgent(
    inference.Uniform(), others="simple_unbiased", limit=agents.Limit(simulations=50)
)
env = gym.make("PommermanTeam-v0", opponents=["simple", partner, "simple"], gate="steps:40")
observation, info = env.reset(seed=7)
states = [env.unwrapped.game_state]
over, reward = False, 0.0
while not over:
    observation, reward, terminated, truncated, info = env.step(careful(observation, info))
    states.append(env.unwrapped.game_state)
    over = terminated or truncated

print(
    f"{info['result']} after {info['ply']} steps: winners {info['winners']}, reward {reward:+.0f}"
)
save_replay(states, "team.gif", fps=8)
print(f"wrote team.gif, {len(states)} frames")
