"""All drawings that stamps may show, by name."""

from functools import cache

from phasezoo.envs.rendering.lettering import LETTERS, glyph
from phasezoo.envs.rendering.stamps import Layer, Symbol
from phasezoo.envs.rendering.tiles import tiles
from phasezoo.envs.rendering.tokens import tokens

__all__ = ["letter_name", "symbol"]


def letter_name(letter: str) -> str:
    """The name of a letter or digit; an SVG id must not begin with a digit."""
    return f"letter-{letter}"


def symbol(name: str) -> Symbol:
    """The drawing called ``name``."""
    return _symbols()[name]


@cache
def _symbols() -> dict[str, Symbol]:
    letters = {letter_name(letter): (Layer(None, lines=glyph(letter)),) for letter in LETTERS}
    return {**tiles(), **tokens(), **letters}
