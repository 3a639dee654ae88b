"""Pictures as lists of stamps: what the raster and the SVG of a scene have in common."""

from dataclasses import dataclass
from typing import TypeAlias

from phasezoo.envs.rendering.geometry import Colour, Detail, Points

SIDE = 512
"""Width and height of a picture; stamps are placed in its pixels."""


@dataclass(frozen=True)
class Layer:
    """Shapes of one colour: the union of polygons and lines."""

    colour: Colour | None
    """None takes the ink of the stamp."""
    outlines: tuple[Points, ...] = ()
    lines: tuple[Detail, ...] = ()
    border: float = 0.0
    """Width of a line around every outline; half of it lies outside."""


Layers: TypeAlias = tuple[Layer, ...]
"""A drawing in the unit square, its layers from the bottom upwards."""


@dataclass(frozen=True, eq=False)
class Symbol:
    """A drawing with a name; make each once, since pixels are kept by the object."""

    name: str
    """Its id in SVG."""
    layers: Layers


@dataclass(frozen=True)
class Stamp:
    """A symbol in a square of the picture."""

    symbol: Symbol
    left: int
    top: int
    size: int
    ink: Colour | None = None
    """The colour of the layers that have none; None if all have one."""


@dataclass(frozen=True)
class Sketch:
    """All stamps of a picture, in the order in which they are drawn."""

    backdrop: Colour
    ground: tuple[Stamp, ...]
    """Below everything else. They overlap in no way that depends on the state, so that films may
    draw those that all frames share once."""
    things: tuple[Stamp, ...]
    symbols: tuple[Symbol, ...] = ()
    """Symbols that an SVG has even if no stamp does, for pages that use them."""
