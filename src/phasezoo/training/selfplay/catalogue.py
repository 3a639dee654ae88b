"""Which rooms bring settings for learning by play: the only file of this folder that names them."""

from collections.abc import Callable, Mapping

from phasezoo.training.selfplay.recipes import Recipe
from phasezoo.zoo.boards.recipes import atomic_recipes
from phasezoo.zoo.connect_four.recipes import connect_four_recipes
from phasezoo.zoo.krk.recipes import krk_recipes

__all__ = ["RECIPES", "recipe_of"]

RECIPES: dict[str, Callable[[], Mapping[str, Recipe]]] = {
    "atomic": atomic_recipes,
    "connect-four": connect_four_recipes,
    "krk": krk_recipes,
}
"""What makes a game's recipes, by preset."""


def recipe_of(game: str | None, preset: str) -> Recipe:
    """A game's recipe for a preset; without one, an empty one."""
    make = RECIPES.get(game or "")
    return Recipe() if make is None else make().get(preset, Recipe())
