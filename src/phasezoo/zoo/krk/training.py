"""Training of networks that learn the endgame by play: settings and measurements."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from phasezoo import _core, games
from phasezoo.games import Game
from phasezoo.training.probes.moves import ExactMoves, WonStarts
from phasezoo.training.probes.probe import Probe
from phasezoo.training.selfplay.config import Recipe, Watching
from phasezoo.training.selfplay.replay import ReplayRules
from phasezoo.training.solved import SolvedPositions, Starts
from phasezoo.zoo.krk.game import KRK, LONGER_THAN_ANY_MATE

FIRST_SEED = 1 << 40
"""Starts of probes are drawn by this seed and the following."""

PLAYED_SHARE = 4
"""One start is played to its end for so many positions: a game asks for many moves."""

MOVES = 50
"""Moves of White in which the mate counts: after them the fifty-move rule ends the game."""


def krk_recipes() -> Mapping[str, Recipe]:
    """Games are cut before the lone king gets its draw by fifty moves: mates come much sooner."""
    shared = {
        "games_per_update": 256,
        "nodes": 50,
        "max_plies": 50,
        "concurrency": 256,
        "replay": ReplayRules(capacity=60_000, symmetries=True),
    }
    often = Watching(probe_every=10, probe_positions=200, probe_everywhere=True)
    quick = {**shared, "updates": 70, "watching": often}
    standard = {**shared, "updates": 200, "watching": often}
    return {
        "quick": Recipe("resnet-16x2", "minimal", quick),
        "standard": Recipe("resnet-16x2", "minimal", standard),
    }


def krk_probes(game: Game, positions: int) -> list[Probe]:
    """Starts won against the perfect defender, and moves by the table from uniform positions."""

    def states(count: int) -> tuple[Any, ...]:
        uniform = games.make("krk", start="uniform")
        return tuple(uniform.initial_state(seed=FIRST_SEED + each) for each in range(count))

    exact = ExactMoves(lambda: Starts(game, states(positions)))
    won = WonStarts(lambda: states(max(1, positions // PLAYED_SHARE)))
    return [Probe(won, *won.scores), Probe(exact, *exact.scores)]


@cache
def krk_positions() -> SolvedPositions:
    """All positions with White, who has the rook, to move; Black's defence knows the policy."""
    states, offsets, actions, dtm = _core.krk_graph()
    worths = np.where(np.isinf(dtm), 0.0, LONGER_THAN_ANY_MATE - dtm.astype(np.float64))
    return SolvedPositions(
        KRK,
        states,
        offsets,
        actions,
        worths,
        kind="in which the side with the rook is to move",
        win_chances=lambda probabilities: _core.krk_mate_chances(probabilities, MOVES),
    )
