"""Measurements of networks that learn chess or a variant by play."""

from collections.abc import Sequence
from importlib import resources

from phasezoo.games import Game
from phasezoo.training.probes.probe import Probe
from phasezoo.training.probes.tactics import Puzzle, Puzzles, read_puzzles


def board_probes(game: Game, positions: int) -> list[Probe]:
    """Mate in two, from positions of the sample games, ``scripts/make_mates.py`` made them."""

    def puzzles() -> Sequence[Puzzle]:
        file = resources.files("phasezoo") / "data" / "samples" / f"{game.name}_mate_in_two.txt"
        return read_puzzles(game, file.read_text(encoding="utf-8"))[:positions]

    mates = Puzzles("mate in 2", puzzles)
    return [Probe(mates, *mates.scores)]
