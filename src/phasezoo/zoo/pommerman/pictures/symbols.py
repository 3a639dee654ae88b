"""All pictures of Pommerman that stamps may show, by name."""

from functools import cache

from phasezoo.envs.rendering.stamps import Symbol
from phasezoo.zoo.pommerman.pictures.tiles import tiles
from phasezoo.zoo.pommerman.pictures.tokens import tokens


def symbol(name: str) -> Symbol:
    """The drawing called ``name``, the same object at every call."""
    return _symbols()[name]


@cache
def _symbols() -> dict[str, Symbol]:
    return {name: Symbol(name, layers) for name, layers in {**tiles(), **tokens()}.items()}
