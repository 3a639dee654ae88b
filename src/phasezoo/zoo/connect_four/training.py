"""Training of networks that learn Connect Four by play: settings and measurements."""

import importlib.util
from collections.abc import Mapping

from phasezoo.data.starts import evenly_by_ply
from phasezoo.data.store import GameStore
from phasezoo.games import Game
from phasezoo.training.probes.moves import ExactMoves
from phasezoo.training.probes.probe import Probe
from phasezoo.training.selfplay.config import Recipe, Watching, self_play_search, self_play_settings
from phasezoo.training.selfplay.replay import ReplayRules
from phasezoo.training.solved import Starts

SEED = 1
"""Seed of the positions, the same for every run."""


def connect_four_recipes() -> Mapping[str, Recipe]:
    """Few nodes planned with Gumbel noise, many games, a part of them from random openings."""
    quick = {
        "updates": 30,
        "games_per_update": 400,
        "nodes": 32,
        "concurrency": 200,
        "search": self_play_search(root="gumbel", max_num_considered_actions=7),
        "replay": ReplayRules(capacity=40_000, value_mix=0.5),
        "starts": ("0.7*initial", "0.3*random:1-6"),
        "learning": self_play_settings(max_lr=4e-3),
        "watching": Watching(probe_every=3, probe_positions=200),
    }
    standard = {
        **quick,
        "updates": 40,
        "games_per_update": 800,
        "concurrency": 400,
        "replay": ReplayRules(capacity=120_000, value_mix=0.5),
        "starts": ("0.5*initial", "0.5*random:1-16"),
        "learning": self_play_settings(max_lr=3e-3),
        "watching": Watching(probe_every=5, probe_positions=1000),
    }
    return {
        "quick": Recipe("resnet-32x2", None, quick),
        "standard": Recipe("resnet-48x3", None, standard),
    }


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
