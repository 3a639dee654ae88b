"""A gate of one's own, seen on the plies of a game, in an environment, and in a search.

A gate says which phase of the game a state is in. Here the phases are "queens on" and "queens off".
One function is enough; the same function then serves data, environments and search.
"""

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo import agents, arena, gating, inference, training


@gating.register("queens", names=("queens on", "queens off"))
def queens(state):
    """Phase 0 while a queen is on the board, phase 1 after."""
    return 0 if "q" in state.fen.split()[0].lower() else 1


def watch_an_environment():
    """An environment gives the phase at every step."""
    env = gym.make("Chess-v0", gate="queens")
    _, info = env.reset(seed=1, options={"fen": "3qk3/8/8/8/8/8/8/3QK3 w - - 0 1", "moves": []})
    before = info["phase"]
    _, _, _, _, info = env.step(env.unwrapped.game_state.parse_uci("d1d8"))
    print(f"phase before the queens are exchanged: {before}, after it: {info['phase']}\n")


class Material:
    """An expert that counts pieces, with prices of its own."""

    plane_spec = "minimal"  # own P N B R Q K, then theirs

    def __init__(self, queen):
        self.worth = np.array([1, 3, 3, 5, queen, 0], dtype=np.float32)

    def evaluate(self, planes):
        counts = planes[:, :6].sum(axis=(2, 3)) - planes[:, 6:].sum(axis=(2, 3))
        return inference.Evaluation(value=np.tanh(counts @ self.worth / 10))


def search_with_experts(games):
    """The gate routes every position that the search looks at to its phase's expert."""
    experts = {"queens on": Material(queen=9), "queens off": Material(queen=0)}
    agent = agents.M2CTSAgent(experts, gate="queens", limit=agents.Limit(nodes=100), fpu=0.2)
    match = arena.play_match(agent, "random", games=games, seed=1, max_plies=200)
    print(
        f"M2CTS with an expert for each phase v random play: {match.wins} won, "
        f"{match.draws} drawn, {match.losses} lost\n"
    )


def plies_of_games(count):
    """Print the phase of every ply by two gates: a letter by Lichess, a capital by the own one."""
    records = training.GameStore.sample("chess").subset(range(count)).records
    lichess, own = gating.make("lichess"), gating.make("queens")
    late = []
    for game in range(count):
        states = records.states(game)
        letters = [lichess.names[lichess(state)][0] for state in states]
        off = [own(state) == 1 for state in states]
        late += [letter for letter, is_off in zip(letters, off, strict=True) if is_off]
        line = "".join(
            letter.upper() if is_off else letter
            for letter, is_off in zip(letters, off, strict=True)
        )
        print(f"game {game + 1}, {len(states)} plies:")
        print(*(f"  {line[start : start + 70]}" for start in range(0, len(line), 70)), sep="\n")
    shares = ", ".join(
        f"{np.mean([letter == name[0] for letter in late]):.0%} {name}" for name in lichess.names
    )
    print("o, m, e: opening, middlegame, endgame by Lichess; a capital: queens off by the own gate")
    print(f"of {len(late)} plies without queens Lichess calls {shares}")


def main(games=10, shown=6):
    watch_an_environment()
    search_with_experts(games)
    plies_of_games(shown)


if __name__ == "__main__":
    main()
