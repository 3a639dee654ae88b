"""Measures an agent's errors in Connect Four by how long a position's game has been and will be.

    python scripts/connect_four_strata.py --agent mcts:net=phasezoo/connect-four-medium,nodes=600

The six sets have the bounds of Pascal Pons's test sets for solvers, by which AlphaZero.jl judges
its networks: *begin*, *middle* and *end* have at most 14, 28 and 42 stones on the board, and by
perfect play the game lasts fewer than 14 more moves (*easy*), fewer than 28 (*medium*) or more
(*hard*). Positions here are drawn by random play, the same for every agent. The page
``docs/results/connect_four.md`` has the results. Needs the extra ``solve``.
"""

import json
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import tyro

from phasezoo import agents, games
from phasezoo.experiments.statistics import wilson
from phasezoo.training.solved import Starts, moves_of

LIMIT = 14
"""Stones, and moves that are left, from one set to the next."""

CELLS = 42


@dataclass
class Strata:
    """An agent, and the number of positions."""

    agent: str
    """Text of the agent, such as mcts:net=phasezoo/connect-four-medium,nodes=600."""
    positions: int = 1000
    """Number of positions of each set (Pons: 1,000)."""
    seed: int = 1
    """Seed of the positions and of the agent."""


def moves_left(stones: int, score: float) -> int:
    """Return how many moves a game of perfect play has left.

    Args:
        stones: Stones on the board.
        score: The best action's: n > 0 wins with one's n-th stone from the last, n < 0 loses so.
    """
    if score == 0:
        return CELLS - stones
    winner = stones % 2 if score > 0 else (stones + 1) % 2
    last = CELLS // 2 + 1 - int(abs(score))  # how many stones the winner has placed then
    return 2 * last - 1 + winner - stones


def name_of(stones: int, left: int) -> str:
    """Return the name of the set of a position."""
    part = ("begin", "middle", "end")[max(stones - 1, 0) // LIMIT]
    return f"{part}, {('easy', 'medium', 'hard')[left // LIMIT]}"


def drawn(positions: int, seed: int) -> dict[str, list[object]]:
    """Return states by set, all different."""
    game, rng = games.make("connect-four"), np.random.default_rng(seed)
    found: dict[str, dict[str, object]] = defaultdict(dict)
    wanted = 6 * positions
    while sum(map(len, found.values())) < wanted:
        state = game.initial_state()
        for _ in range(int(rng.integers(CELLS))):
            if not state.is_terminal:
                state = state.play(int(rng.choice(state.legal_actions)))
        if state.is_terminal:
            continue
        stones = len(state.columns)
        left = moves_left(stones, game.action_scores(state).max())
        part = found[name_of(stones, left)]
        if len(part) < positions:
            part[state.columns] = state
    return {name: list(part.values()) for name, part in sorted(found.items())}


def main(strata: Strata) -> None:
    """Print the share of wrong moves by set, with 95 % intervals (Wilson)."""
    game = games.make("connect-four")
    agent = agents.make(strata.agent)
    for name, states in drawn(strata.positions, strata.seed).items():
        starts = Starts(game, tuple(states))
        judged = starts.judge(moves_of(agent, starts.states, strata.seed))
        shares = {"outcome": judged.lost > 0, "outcome or time": ~judged.best}
        row = {"set": name, "positions": len(states), "agent": strata.agent}
        for kind, wrong in shares.items():
            share = wilson(int(wrong.sum()), len(wrong))
            row[kind] = [round(100 * number, 2) for number in (share.value, share.low, share.high)]
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(tyro.cli(Strata))
