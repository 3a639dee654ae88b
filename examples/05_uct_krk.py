"""UCT with rollouts mates with king and rook: how many moves does it waste?"""

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo import agents

agent = agents.UCTAgent(
    c=5.0,
    threshold=30,  # a node visited more often selects; the endgame has up to 22 moves
    rollout="krk",
    limit=agents.Limit(simulations=3_000),
    seed=1,
)
env = gym.make("KRK-v0", start="uniform", observation="none")  # the defender has a tablebase
for seed in range(3):
    observation, info = env.reset(seed=seed)
    print(f"{info['fen']}: mate in {info['dtm']}")
    wasted, over = [], False
    while not over:
        observation, reward, terminated, truncated, info = env.step(agent(observation, info))
        over = terminated or truncated
        if info["dtm_difference"] is not None:
            wasted.append(info["dtm_difference"])
    print(f"  {info['reason']} after {len(wasted)} moves; wasted a move {np.mean(wasted):.2f}")
