"""Settings of learning by play from the rooms: the only file of this folder that names rooms."""

from collections.abc import Callable, Mapping

from phasezoo.training.selfplay.config import Recipe
from phasezoo.zoo.boards.recipes import atomic_recipes
from phasezoo.zoo.connect_four.recipes import connect_four_recipes
from phasezoo.zoo.krk.recipes import krk_recipes

RECIPES: dict[str, Callable[[], Mapping[str, Recipe]]] = {
    "atomic": atomic_recipes,
    "connect-four": connect_four_recipes,
    "krk": krk_recipes,
}
"""Functions that return a game's recipes by preset."""


def recipe_of(game: str | None, preset: str) -> Recipe:
    """Return a game's recipe for a preset; an empty one if it has none."""
    make = RECIPES.get(game or "")
    return Recipe() if make is None else make().get(preset, Recipe())
