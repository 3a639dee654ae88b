"""Stamps as pixels and as SVG."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from phasezoo.envs.rendering.document import UNIT, Drawing, hex_of, path
from phasezoo.envs.rendering.geometry import Colour, Detail, Points
from phasezoo.envs.rendering.raster import Coverage, fill_coverage, line_coverage
from phasezoo.envs.rendering.stamps import SIDE, Layer, Sketch, Stamp, Symbol

Plate = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
"""Share that a stamp leaves of the picture, ``float32[S, S, 1]``, and its own colours,
``float32[S, S, 3]``."""


def stamped(sketch: Sketch) -> npt.NDArray[np.uint8]:
    """The picture as ``uint8[512, 512, 3]``."""
    image = _ground(sketch.backdrop, sketch.ground).copy()
    for stamp in sketch.things:
        _press(image, stamp)
    return (image + 0.5).astype(np.uint8)


@lru_cache(maxsize=4)  # the states of a game share most of it
def _ground(backdrop: Colour, stamps: tuple[Stamp, ...]) -> npt.NDArray[np.float32]:
    image = np.empty((SIDE, SIDE, 3), dtype=np.float32)
    image[...] = backdrop
    for stamp in stamps:
        _press(image, stamp)
    return image


def _press(image: npt.NDArray[np.float32], stamp: Stamp) -> None:
    left, added = _plate(stamp.symbol, stamp.size, stamp.ink)
    rows = slice(stamp.top, stamp.top + stamp.size)
    block = image[rows, stamp.left : stamp.left + stamp.size]
    height, width = block.shape[:2]  # less than the stamp's at the edge of the picture
    block *= left[:height, :width]
    block += added[:height, :width]


@lru_cache(maxsize=256)
def _plate(symbol: Symbol, size: int, ink: Colour | None) -> Plate:
    left = np.ones((size, size, 1), dtype=np.float32)
    added = np.zeros((size, size, 3), dtype=np.float32)
    for layer in symbol.layers:
        share = _coverage(layer, size)[..., None]
        left *= 1.0 - share
        added *= 1.0 - share
        added += share * np.array(_colour(layer, ink), dtype=np.float32)
    return left, added


def _coverage(layer: Layer, size: int) -> Coverage:
    filled = fill_coverage(layer.outlines, size)
    lines = layer.lines
    if layer.border:
        closed = [np.concatenate([outline, outline[:1]]) for outline in layer.outlines]
        lines += tuple(Detail(points, layer.border) for points in closed)
    return np.maximum(filled, line_coverage(lines, size)) if lines else filled


def _colour(layer: Layer, ink: Colour | None) -> Colour:
    colour = ink if layer.colour is None else layer.colour
    assert colour is not None, "a stamp of this symbol needs ink"
    return colour


def drawn(sketch: Sketch) -> Drawing:
    """The picture as SVG."""
    used = [stamp.symbol for stamp in sketch.ground + sketch.things]
    backdrop = f'<rect width="{SIDE}" height="{SIDE}" fill="{hex_of(sketch.backdrop)}"/>'
    return Drawing(
        side=SIDE,
        view=(0, 0, SIDE, SIDE),
        symbols={symbol.name: _symbol(symbol) for symbol in (*sketch.symbols, *used)},
        ground=(backdrop, *map(_use, sketch.ground)),
        things=tuple(map(_use, sketch.things)),
    )


def _use(stamp: Stamp) -> str:
    ink = "" if stamp.ink is None else f' color="{hex_of(stamp.ink)}"'
    return (
        f'<use href="#{stamp.symbol.name}" x="{stamp.left}" y="{stamp.top}" '
        f'width="{stamp.size}" height="{stamp.size}"{ink}/>'
    )


@lru_cache(maxsize=64)
def _symbol(symbol: Symbol) -> str:
    layers = "".join(map(_layer, symbol.layers))
    return f'<symbol id="{symbol.name}" viewBox="0 0 {UNIT} {UNIT}">{layers}</symbol>'


def _layer(layer: Layer) -> str:
    colour = "currentColor" if layer.colour is None else hex_of(layer.colour)
    parts = []
    if layer.outlines:
        outlines = "".join(f"{path(_anticlockwise(outline))}z" for outline in layer.outlines)
        border = _stroke(colour, layer.border) if layer.border else ""
        parts.append(f'<path d="{outlines}" fill="{colour}"{border}/>')
    parts += [
        f'<path d="{path(line.points)}" fill="none"{_stroke(colour, line.width)}/>'
        for line in layer.lines
    ]
    return "".join(parts)


def _stroke(colour: str, width: float) -> str:
    ends = 'stroke-linecap="round" stroke-linejoin="round"'
    return f' stroke="{colour}" stroke-width="{width * UNIT:.1f}" {ends}'


def _anticlockwise(outline: Points) -> Points:
    """SVG cuts out where outlines of different directions overlap; a union is wanted."""
    x, y = outline[:, 0], outline[:, 1]
    area = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    return outline if area >= 0 else outline[::-1]
