"""Training of networks that learn chess or a variant by play: settings and measurements."""

from collections.abc import Mapping, Sequence
from importlib import resources

from phasezoo.games import Game
from phasezoo.training.probes.probe import Probe
from phasezoo.training.probes.tactics import Puzzle, Puzzles, read_puzzles
from phasezoo.training.selfplay.config import Recipe, Watching, self_play_search, self_play_settings
from phasezoo.training.selfplay.replay import ReplayRules


def atomic_recipes() -> Mapping[str, Recipe]:
    """Few nodes planned with Gumbel noise, half of the games from random openings."""
    return _few_nodes(updates=40, capacity=150_000)


def chess_recipes() -> Mapping[str, Recipe]:
    """The same for games that are three times as long."""
    return _few_nodes(updates=75, capacity=450_000)


def _few_nodes(updates: int, capacity: int) -> Mapping[str, Recipe]:
    standard = {
        "updates": updates,
        "games_per_update": 400,
        "nodes": 32,
        "samples_per_new": 3.0,
        "samples_per_update": None,
        "concurrency": 200,
        "max_plies": 200,
        "search": self_play_search(root="gumbel", max_num_considered_actions=16),
        "replay": ReplayRules(capacity=capacity, value_mix=0.5),
        "starts": ("0.5*initial", "0.5*random:1-8"),
        "learning": self_play_settings(max_lr=3e-3),
        "watching": Watching(probe_every=5, probe_positions=100),
    }
    return {"standard": Recipe("resnet-32x3:policy=pointwise", None, standard)}


def board_probes(game: Game, positions: int) -> list[Probe]:
    """Mate in two, from positions of the sample games, ``scripts/make_mates.py`` made them."""

    def puzzles() -> Sequence[Puzzle]:
        file = resources.files("phasezoo") / "data" / "samples" / f"{game.name}_mate_in_two.txt"
        return read_puzzles(game, file.read_text(encoding="utf-8"))[:positions]

    mates = Puzzles("mate in 2", puzzles)
    return [Probe(mates, *mates.scores)]
