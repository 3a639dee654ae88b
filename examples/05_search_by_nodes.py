"""Search by its budget: what do more simulations buy, judged by perfect play?

UCT with rollouts mates with king and rook. A tablebase knows how many moves each of its moves
wastes against the shortest mate, so that the gain of each budget is counted exactly.
"""

import numpy as np

from phasezoo import agents, games


def wasted(agent, states):
    """Moves that an agent's choice adds to the shortest mate; NaN where it throws the win away."""
    moves = [state.dtm_difference(agent.search(state).action) for state in states]
    return np.array([np.nan if move is None else move for move in moves], dtype=float)


def main(budgets=(100, 1_000, 10_000), count=300):
    states = [games.make("krk", start="uniform").initial_state(seed=seed) for seed in range(count)]
    lines = []
    for simulations in budgets:
        agent = agents.UCTAgent(
            c=5.0,
            rollout="krk",
            limit=agents.Limit(simulations=simulations),
            seed=1,
        )
        lost = wasted(agent, states)
        kept = lost[~np.isnan(lost)]
        error = 1.96 * kept.std(ddof=1) / len(kept) ** 0.5
        lines.append(
            f"{simulations:6,} simulations: {kept.mean():.2f} ± {error:.2f} moves wasted a move "
            f"{'█' * round(15 * kept.mean())}  {np.isnan(lost).sum()} wins thrown away"
        )
    print(f"UCT in {count} positions of king and rook against king:", *lines, sep="\n")


if __name__ == "__main__":
    main()
