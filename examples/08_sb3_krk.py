"""Stable-Baselines3 learns to mate with king and rook, and its learning curve (extra `sb3`).

The learner is a mate in one or two away; the defender answers perfectly, from a table. Every
position is turned into one of its eight images (`TurnedPolicy`), so that a mate learned in one
corner is known in all of them. Random play mates in about one game of a hundred.
"""

import numpy as np
from sb3_contrib import MaskablePPO

from phasezoo import agents, arena, games
from phasezoo.integrations import sb3

# 36 compact actions in place of the 4,672 of chess.
START = {"start": "dtm", "dtm": (1, 2)}
OPTIONS = {**START, "planes": "minimal", "max_plies": 8, "compact_actions": True}


def learn(steps, seed):
    """Train, and return the share of games won after each eighth of the steps."""
    model = MaskablePPO(
        sb3.TurnedPolicy,
        sb3.make_vec_env("KRK-v0", n_envs=64, seed=seed, **OPTIONS),
        policy_kwargs={"symmetries": games.make("krk").symmetries(True), "net_arch": [128, 128]},
        n_steps=16,
        batch_size=256,
        n_epochs=10,
        learning_rate=2e-3,
        gamma=0.9,
        ent_coef=0.01,
        seed=seed,
        device="cpu",
    )
    curve = []
    for _ in range(8):
        model.learn(steps // 8, reset_num_timesteps=False)
        won = np.mean([episode["r"] > 0 for episode in model.ep_info_buffer])
        curve.append((model.num_timesteps, won))
    return model, curve


def main(steps=49_152, count=200, seed=1):
    model, curve = learn(steps, seed)
    print("Won of the last 100 games of training:")
    for step, won in curve:
        print(f"{step:6,} steps {won:4.0%} {'█' * round(40 * won)}")

    # A model is an agent like any other: in matches, and as an opponent inside environments.
    agent = agents.SB3Agent(model, planes="minimal", compact_actions=True)
    game = games.make("krk", **START)
    match = arena.play_match(agent, "tablebase", game=game, games=2 * count, max_plies=8, seed=2)
    # Each start is played with both colours; White attacks.
    won = [record.result == "1-0" for record in match.games if record.sides[0] == 0]
    rate = arena.rate_of(won, 1)
    print(
        f"From {count} other starts, mates in 1 or 2, the trained agent mates the perfect defender "
        f"{sum(won)} times:\n{rate.value:.0%} ({rate.low:.0%} to {rate.high:.0%}, 95 %)"
    )


if __name__ == "__main__":
    main()
