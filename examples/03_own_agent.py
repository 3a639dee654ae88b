"""An agent of one's own, in three sizes: a function, a class with a memory, an evaluator to search.

Each can be an opponent in an environment, or a side in a match.
"""

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo import agents, arena, inference

# 1. A function (observation, info) -> action. Planes 6 to 11 of the observation are their pieces.


def greedy(observation, info):
    """Takes something if it can, otherwise plays the first legal move."""
    state = info["state"]
    theirs = observation[6:12].sum(axis=0).reshape(-1)  # 64 squares, as the mover sees them
    legal = np.flatnonzero(info["action_mask"])
    for action in legal:
        target = state.uci(action)[2:4]
        square = (ord(target[1]) - ord("1")) * 8 + ord(target[0]) - ord("a")
        if theirs[square if state.to_play == 0 else square ^ 56]:
            return int(action)
    return int(legal[0])


# 2. A class with session(seed): one session plays one game, and may remember things.


class Shuffler:
    """Plays at random, but never the same piece twice in a row if it can help it."""

    name = "shuffler"

    def session(self, seed):
        return ShufflerGame(seed)


class ShufflerGame:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.last_square = None

    def act(self, state, player=None):
        moves = {int(action): state.uci(action) for action in state.legal_actions}
        fresh = [action for action, move in moves.items() if move[:2] != self.last_square]
        action = int(self.rng.choice(fresh or list(moves)))
        self.last_square = moves[action][2:4]
        return action


# 3. Only the evaluation is one's own; the search is ours.


class Material:
    """Counts the pieces of both sides."""

    plane_spec = "minimal"  # own P N B R Q K, then theirs

    def evaluate(self, planes):
        worth = np.array([1, 3, 3, 5, 9, 0], dtype=np.float32)
        counts = planes[:, :6].sum(axis=(2, 3)) - planes[:, 6:].sum(axis=(2, 3))
        return inference.Evaluation(value=np.tanh(counts @ worth / 10))


def main(games=20, nodes=400):
    searcher = agents.MCTSAgent(Material(), limit=agents.Limit(nodes=nodes), fpu=0.3)

    env = gym.make("Chess-v0", opponent=greedy, agent_color="white")
    observation, info = env.reset(seed=3)
    for _ in range(20):
        observation, _, terminated, truncated, info = env.step(searcher(observation, info))
        if terminated or truncated:
            break
    print(f"in an environment, against the greedy function: {info['fen'].split()[0]}")

    print(f"The search with an evaluator of one's own, {nodes} nodes a move, {games} games each:")
    for name, opponent in (("the greedy function", greedy), ("the shuffler", Shuffler())):
        match = arena.play_match(searcher, opponent, games=games, seed=5, max_plies=200)
        print(
            f"  v {name}: {match.wins} won, {match.draws} drawn, {match.losses} lost, "
            f"Elo {match.elo}"
        )


if __name__ == "__main__":
    main()
