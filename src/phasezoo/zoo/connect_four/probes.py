"""Measurements of networks that learn Connect Four by play."""

import importlib.util

from phasezoo.data.store import GameStore
from phasezoo.data.stored_states import evenly_by_ply
from phasezoo.games import Game
from phasezoo.training.probes.moves import ExactMoves
from phasezoo.training.probes.probe import Probe
from phasezoo.training.solved import Starts

SEED = 1
"""Of the positions, the same in all runs."""


def connect_four_probes(game: Game, positions: int) -> list[Probe]:
    """Moves by the solver, in positions of the sample games drawn evenly by ply.

    Without the solver (extra ``solve``) there are none.
    """
    if importlib.util.find_spec("bitbully") is None:
        return []

    def starts() -> Starts:
        store = GameStore.sample("connect-four")
        return Starts(game, tuple(evenly_by_ply(store, positions, SEED)))

    exact = ExactMoves(starts)
    return [Probe(exact, *exact.scores)]
