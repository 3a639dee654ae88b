"""A gate of one's own: it labels games, shows in environments, and picks experts in search.

A gate says which phase of the game a state is in. Here the phases are "queens on" and "queens off".
One function is enough; the same function then serves data, environments and search.
"""

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo import agents, arena, gating, inference
from phasezoo.games import make


@gating.register("queens", names=("queens on", "queens off"))
def queens(state):
    """Phase 0 while a queen is on the board, phase 1 after."""
    return 0 if "q" in state.fen.split()[0].lower() else 1


def label_games():
    """Which share of positions is in which phase, by move number?"""
    gate = gating.make("queens")
    match = arena.play_match("random", "random", games=20, seed=1, max_plies=200)
    phases = [[] for _ in range(200)]
    for record in match.games:
        state = make("chess").initial_state()
        for ply, move in enumerate((*record.opening_moves, *record.moves)):
            phases[ply].append(gate(state))
            state = state.play(state.parse_uci(move))
    for ply in range(0, 200, 40):
        seen = phases[ply]
        if seen:
            print(f"ply {ply:3}: {np.mean(seen):4.0%} of {len(seen)} games are {gate.names[1]}")


def watch_an_environment():
    """An environment tells the phase at every step."""
    env = gym.make("Chess-v0", gate="queens")
    _, info = env.reset(seed=1, options={"fen": "3qk3/8/8/8/8/8/8/3QK3 w - - 0 1", "moves": []})
    print("phase before the exchange:", info["phase"])
    state = env.unwrapped.game_state
    _, _, _, _, info = env.step(state.parse_uci("d1d8"))
    print("phase after it:", info["phase"])


class Material:
    """An expert that counts pieces, with prices of its own."""

    plane_spec = "minimal"  # own P N B R Q K, then theirs

    def __init__(self, queen):
        self.worth = np.array([1, 3, 3, 5, queen, 0], dtype=np.float32)

    def evaluate(self, planes):
        counts = planes[:, :6].sum(axis=(2, 3)) - planes[:, 6:].sum(axis=(2, 3))
        return inference.Evaluation(value=np.tanh(counts @ self.worth / 10))


def search_with_experts():
    """The gate routes every position that the search looks at to its phase's expert."""
    experts = {"queens on": Material(queen=9), "queens off": Material(queen=0)}
    agent = agents.M2CTSAgent(experts, gate="queens", limit=agents.Limit(nodes=100), fpu=0.2)
    match = arena.play_match(agent, "random", games=4, seed=1, max_plies=200)
    print(match.summary())


if __name__ == "__main__":
    label_games()
    watch_an_environment()
    search_with_experts()
