"""A game of one's own from end to end: its games, a gate, phase experts, and the search with them.

Othello comes from the example `04_own_game.py`; nothing of what follows knows what is played. Its
states tell their symmetries, so that positions are learnt from four sides.
"""

import runpy
import tempfile
from pathlib import Path

import numpy as np
import rich

from phasezoo import agents, arena, games, gating, training

Othello = runpy.run_path(str(Path(__file__).with_name("04_own_game.py")))["Othello"]


@gating.register("discs", names=("few discs", "many discs"))
def discs(state):
    """Two halves of a game: before and after half of the cells are full."""
    return int(np.count_nonzero(state.cells) > len(state.cells) // 2)


def main():
    game = games.make("othello6")
    player = agents.UCTAgent(threshold=7, limit=agents.Limit(simulations=8), seed=1)
    match = arena.play_match(player, agents.RandomAgent(seed=2), game=game, games=30, seed=3)
    with tempfile.TemporaryDirectory() as place:
        with training.StoreWriter(Path(place) / "games", game=game) as writer:
            writer.extend(match)
        store = training.GameStore.open(Path(place) / "games")
        print(store)
        experts = training.train_experts(
            store,
            "discs",
            "weighted:4",
            network="resnet-16x2",
            positions=2_000,
            validation_positions=200,
            seed=1,
            out=Path(place) / "experts",
        )
        for table in experts.tables()[:2]:  # what each network got, and its loss on each phase
            rich.print(table)
        limit = agents.Limit(nodes=30)
        result = arena.play_match(
            agents.MCTSAgent(experts.mixture(routing="exact"), limit=limit, seed=1, name="experts"),
            agents.MCTSAgent(experts.baseline(), limit=limit, seed=2, name="baseline"),
            game=game,
            games=8,
            openings=[[str(action)] for action in Othello().legal_actions],
            seed=4,
        )
        print(result.summary())


if __name__ == "__main__":
    main()
