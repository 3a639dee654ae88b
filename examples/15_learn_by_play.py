"""Connect Four from nothing: a network learns by playing itself, and is measured by the solver.

A minute of it shows how it is done; `phasezoo selfplay connect-four --preset quick` goes further.
"""

import numpy as np

from phasezoo import agents, arena, training

CONFIG = training.SelfPlayConfig(
    updates=3,
    games_per_update=24,
    nodes=16,
    starts=("0.8*initial", "0.2*random:2-8"),
    resign_value=0.95,
)


def learn():
    """Play, learn, publish; the same call again goes on with what is in the folder."""
    loop = training.SelfPlay(
        "connect-four", network="mlp-64x1", config=CONFIG, out="runs/four", seed=1
    )
    outcome = loop.run()
    print(outcome.describe())
    for update in outcome.updates:
        numbers = update.numbers
        print(f"round {update.update}: policy loss {numbers['learn/policy_loss']:.3f}")
    return outcome


if __name__ == "__main__":
    outcome = learn()
    new, old = (
        agents.MCTSAgent(outcome.evaluator(update), limit=agents.Limit(nodes=16), name=name, seed=1)
        for update, name in ((None, "learnt"), (0, "untaught"))
    )
    print(arena.play_match(new, old, game="connect-four", games=20, openings="drawn", seed=1))
    lengths = np.diff(outcome.store().offsets)
    print(f"{len(lengths)} games of {lengths.mean():.0f} plies in the mean")
