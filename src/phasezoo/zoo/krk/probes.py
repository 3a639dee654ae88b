"""Measurements of networks that learn the endgame by play."""

from typing import Any

from phasezoo import games
from phasezoo.games import Game
from phasezoo.training.probes.moves import ExactMoves, WonStarts
from phasezoo.training.probes.probe import Probe
from phasezoo.training.solved import Starts

FIRST_SEED = 1 << 40
"""Starts of probes are drawn by this seed and the following."""

PLAYED_SHARE = 4
"""One start is played to its end for so many positions: a game asks for many moves."""


def krk_probes(game: Game, positions: int) -> list[Probe]:
    """Starts won against the perfect defender, and moves by the table from uniform positions."""

    def states(count: int) -> tuple[Any, ...]:
        uniform = games.make("krk", start="uniform")
        return tuple(uniform.initial_state(seed=FIRST_SEED + each) for each in range(count))

    exact = ExactMoves(lambda: Starts(game, states(positions)))
    won = WonStarts(lambda: states(max(1, positions // PLAYED_SHARE)))
    return [Probe(won, *won.scores), Probe(exact, *exact.scores)]
