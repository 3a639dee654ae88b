"""Data, settings and measurements from the rooms: the only file of training that names rooms."""

from collections.abc import Callable, Mapping

from phasezoo.games import Game
from phasezoo.training.probes.moves import Everywhere
from phasezoo.training.probes.probe import Probe
from phasezoo.training.selfplay.config import Recipe
from phasezoo.training.solved import SolvedPositions
from phasezoo.zoo.boards.training import atomic_recipes, board_probes, chess_recipes
from phasezoo.zoo.connect_four.training import connect_four_probes, connect_four_recipes
from phasezoo.zoo.krk.training import krk_positions, krk_probes, krk_recipes
from phasezoo.zoo.pommerman.data.episodes import EpisodeStore
from phasezoo.zoo.pommerman.data.settings import POMMERMAN

__all__ = ["ALL_POSITIONS", "POMMERMAN", "RECIPES", "EpisodeStore", "probes_of", "recipe_of"]

RECIPES: dict[str, Callable[[], Mapping[str, Recipe]]] = {
    "atomic": atomic_recipes,
    "chess": chess_recipes,
    "connect-four": connect_four_recipes,
    "krk": krk_recipes,
}
"""Functions that return a game's recipes by preset."""

ALL_POSITIONS: dict[str, Callable[[], SolvedPositions]] = {"krk": krk_positions}
"""Functions that make every position of a game; other games have too many."""

_PROBES: dict[str, Callable[[Game, int], list[Probe]]] = {
    "connect-four": connect_four_probes,
    "krk": krk_probes,
    "chess": board_probes,
    "chess960": board_probes,
    "atomic": board_probes,
    "crazyhouse": board_probes,
}
"""Functions that make a game's probes from the game and the number of positions."""


def recipe_of(game: str | None, preset: str) -> Recipe:
    """Return a game's recipe for a preset; an empty one if it has none."""
    make = RECIPES.get(game or "")
    return Recipe() if make is None else make().get(preset, Recipe())


def probes_of(game: Game, positions: int, *, everywhere: bool = False) -> list[Probe]:
    """Return the probes of a game; none if it has none, or if a package is missing.

    Args:
        game: The game.
        positions: Number of positions that are drawn.
        everywhere: True if a game whose positions are all known is probed in them too.
    """
    make = _PROBES.get(game.name)
    found = [] if make is None else make(game, positions)
    if everywhere and game.name in ALL_POSITIONS:
        exact = Everywhere(ALL_POSITIONS[game.name])
        found.append(Probe(exact, *exact.scores))
    return found
