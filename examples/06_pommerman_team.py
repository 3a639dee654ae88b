"""Pommerman in teams: an agent written for the original package, a planner beside it, and a film.

Such agents import `pommerman`. If that package is not installed, one call puts a small stand-in in
its place, and their code stays as it is. The partner of this one is a tree search; their opponents
are the original's own `SimpleAgent`s.
"""

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo import agents, arena, inference, pommerman_compat
from phasezoo.envs.rendering import save_replay

pommerman_compat.install()

# From here on it could be anybody's file. -------------------------------------------------------

from pommerman import agents as pommerman_agents, constants  # noqa: E402


class Cautious(pommerman_agents.BaseAgent):
    """Stands still if no bomb is near, and otherwise walks away from the nearest one."""

    def act(self, obs, action_space):
        bombs = np.argwhere(obs["bomb_life"] > 0)
        if len(bombs) == 0:
            return constants.Action.Stop.value
        row, column = obs["position"]
        down, right = (row, column) - bombs[np.abs(bombs - (row, column)).sum(axis=1).argmin()]
        if abs(down) > abs(right):
            return (constants.Action.Down if down > 0 else constants.Action.Up).value
        return (constants.Action.Right if right > 0 else constants.Action.Left).value


# ------------------------------------------------------------------------------------------------


def play(partner, seed):
    """A game of players 0 and 2 against 1 and 3: player 0's reward and all states."""
    env = gym.make("PommermanTeam-v0", opponents=["simple", partner, "simple"])
    env.reset(seed=seed)
    session = agents.LegacyPommermanAgent(Cautious).session(seed)
    states, over = [env.unwrapped.game_state], False
    while not over:
        _, reward, terminated, truncated, _ = env.step(session.act(states[-1], 0))
        states.append(env.unwrapped.game_state)
        over = terminated or truncated
    return reward, states


def main(games=20, simulations=50):
    planner = agents.SinglePlayerMCTSAgent(
        inference.Uniform(), others="simple_unbiased", limit=agents.Limit(simulations=simulations)
    )
    for name, partner in (("a random player", agents.RandomAgent()), ("the planner", planner)):
        played = [play(partner, seed) for seed in range(games)]
        won = [reward > 0 for reward, _ in played]
        rate = arena.rate_of(won, 1)
        print(
            f"The cautious agent and {name} beat two SimpleAgents in {sum(won)} of {games} games: "
            f"{rate.value:.0%} ({rate.low:.0%} to {rate.high:.0%}, 95 %)"
        )
    states = played[won.index(True)][1] if any(won) else played[0][1]
    save_replay(states, "team.gif", fps=8)
    print(f"team.gif shows a game with the planner, {len(states)} frames")


if __name__ == "__main__":
    main()
