"""An expert that helps: a network opens the game, an exact solver ends it, one search asks both.

A gate says whose turn it is: the network answers positions of up to 16 stones, the solver the
others, as a chess program asks its tablebase. Experts need not be networks; here the second knows
more than the first, so that the search gains by asking it. The solver is in the extra `solve`.

The opposite is in `09_own_pgn.py`: there experts share few games, and fall behind.
"""

import numpy as np

from phasezoo import agents, arena, games, inference

GAME = games.make("connect-four")


class Solver:
    """An evaluator that knows every move's worth: who wins, and how soon."""

    plane_spec = None  # it looks at states, not at planes

    def __init__(self):
        self.known = {}

    def evaluate_batch(self, leaves):
        answers = [self.answer(state) for state in leaves.states()]
        policies, values = zip(*answers, strict=True)
        return inference.Evaluation(np.stack(policies), value=np.array(values, dtype=np.float32))

    def answer(self, state):
        """The best moves share the policy; the value is +1, 0 or -1."""
        if state.key not in self.known:
            scores = GAME.action_scores(state)
            logits = np.full(GAME.num_actions, -10.0, dtype=np.float32)
            logits[state.legal_actions[scores == scores.max()]] = 0
            self.known[state.key] = logits, np.sign(scores.max())
        return self.known[state.key]


def main(stones=(24, 16), nodes=50, games=100, seed=1):
    network = inference.load("phasezoo/connect-four-small")
    limit = agents.Limit(nodes=nodes)
    alone = agents.MCTSAgent(network, limit=limit, name="network alone", seed=1)
    solver = Solver()
    results = []
    for most in stones:
        experts = {f"up to {most}": network, f"over {most}": solver}
        both = agents.M2CTSAgent(
            experts, gate=f"plies:{most}", routing="exact", limit=limit, name="both", seed=2
        )
        match = arena.play_match(both, alone, game=GAME, games=games, openings="two-ply", seed=seed)
        results.append(
            f"solver from {most + 1} stones on: {match.wins} won, {match.draws} drawn, "
            f"{match.losses} lost, Elo {match.elo}"
        )
    print(f"Network and solver v network alone, {nodes} nodes a move, {games} games each:")
    print("\n".join(results))


if __name__ == "__main__":
    main()
