"""Agents that were written for the original Pommerman package play here unchanged.

Such agents import ``pommerman``. If that package is not installed, one call puts a small
stand-in in its place.
"""

import numpy as np

from phasezoo import agents, games, pommerman_compat

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

ffa = games.make("pommerman-ffa")
wins = 0
for seed in range(5):
    sessions = [agents.LegacyPommermanAgent(Cautious).session(seed)]
    sessions += [agents.SimpleAgent().session(10 * seed + player) for player in (1, 2, 3)]
    state = ffa.initial_state(seed=seed)
    while not state.is_terminal:
        actions = [session.act(state, player) for player, session in enumerate(sessions)]
        state = state.play(np.array(actions))
    wins += state.outcome.winner == 0
    outcome = state.outcome
    print(f"game {seed}: {outcome.reason} after {state.ply} steps, winner {outcome.winner}")
print(f"the legacy agent won {wins} of 5")
