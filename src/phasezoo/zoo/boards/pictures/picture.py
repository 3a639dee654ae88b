"""Boards as pictures, in NumPy alone: no display, no image files, no fonts."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from phasezoo.envs.rendering import lettering
from phasezoo.envs.rendering.geometry import Colour
from phasezoo.envs.rendering.raster import Coverage, line_coverage, shape_coverage
from phasezoo.zoo.boards.pictures.scene import (
    BLACK,
    BORDER,
    CHECK,
    DARK,
    LAST_MOVE,
    LIGHT,
    STRIP,
    WHITE,
    Scene,
)
from phasezoo.zoo.boards.pictures.shapes import piece

Picture = npt.NDArray[np.uint8]

BORDER_WIDTH = 0.018
HIGHLIGHT = 0.62
"""How much of a highlighted square's colour is the highlight."""
LABEL_SIZE = 0.2
"""Coordinates, as a fraction of a square."""
LABEL_MARGIN = 0.035
POCKET = 12 / 13
"""Height of a pocket's strip, in squares of the board between them: 48 pixels beside 52."""


def picture(scene: Scene, square: int = 64) -> Picture:
    """The board as ``uint8[8 * square, 8 * square, 3]``.

    Args:
        scene: What to draw; if there are pockets, the board is smaller between their strips.
        square: Pixels along a square of a board without pockets.
    """
    image = _board(scene, square) if scene.pockets is None else _with_pockets(scene, 8 * square)
    return (image + 0.5).astype(np.uint8)


def pocket_steps(count: int, side: float, size: float) -> list[float]:
    """Where ``count`` pieces of ``size`` begin in a strip of length ``side``; many overlap."""
    step = 0.8 * size if count < 2 else min(0.8 * size, (side - size) / (count - 1))
    return [place * step for place in range(count)]


def _with_pockets(scene: Scene, side: int) -> npt.NDArray[np.float32]:
    square = round(side / (8 + 2 * POCKET))
    margin = (side - 8 * square) // 2
    image = np.empty((side, side, 3), dtype=np.float32)
    image[...] = STRIP
    image[margin : margin + 8 * square, margin : margin + 8 * square] = _board(scene, square)
    for letters, top in zip(scene.pocket_rows(), (0, side - margin), strict=True):
        for letter, left in zip(letters, pocket_steps(len(letters), side, margin), strict=True):
            column = round(left)
            _draw(image[top : top + margin, column : column + margin], letter, margin)
    return image


def _board(scene: Scene, square: int) -> npt.NDArray[np.float32]:
    image = _empty_board(square, scene.flipped).copy()
    highlights = [(mark, LAST_MOVE) for mark in scene.last_move]
    if scene.check is not None:
        highlights.append((scene.check, CHECK))
    for mark, colour in highlights:
        block = _block(image, scene, mark, square)
        _blend(block, np.full((square, square), HIGHLIGHT, dtype=np.float32), colour)
    for where, letter in scene.pieces.items():
        _draw(_block(image, scene, where, square), letter, square)
    return image


def _draw(block: npt.NDArray[np.float32], letter: str, size: int) -> None:
    fill, details = WHITE if letter.isupper() else BLACK
    layers = zip(_layers(letter.lower(), size), (BORDER, fill, details), strict=True)
    for coverage, colour in layers:
        _blend(block, coverage, colour)


def _block(
    image: npt.NDArray[np.float32], scene: Scene, where: int, square: int
) -> npt.NDArray[np.float32]:
    row, column = scene.place(where)
    return image[row * square : (row + 1) * square, column * square : (column + 1) * square]


def _blend(block: npt.NDArray[np.float32], coverage: Coverage, colour: Colour) -> None:
    share = coverage[..., None]
    block *= 1.0 - share
    block += share * np.array(colour, dtype=np.float32)


@lru_cache(maxsize=32)
def _layers(letter: str, square: int) -> tuple[Coverage, Coverage, Coverage]:
    shapes = piece(letter)
    return shape_coverage(shapes.outlines, shapes.details, square, BORDER_WIDTH)


@lru_cache(maxsize=4)
def _empty_board(square: int, flipped: bool) -> npt.NDArray[np.float32]:
    """Squares and coordinates; files along the bottom, ranks along the left side."""
    image = np.empty((8 * square, 8 * square, 3), dtype=np.float32)
    label = max(6, round(LABEL_SIZE * square))
    margin = round(LABEL_MARGIN * square)
    for row in range(8):
        for column in range(8):
            block = image[
                row * square : (row + 1) * square, column * square : (column + 1) * square
            ]
            light = (row + column) % 2 == 0
            block[...] = LIGHT if light else DARK
            ink = DARK if light else LIGHT
            file = "abcdefgh"[7 - column if flipped else column]
            rank = str(row + 1 if flipped else 8 - row)
            if column == 0:
                corner = block[margin : margin + label, margin : margin + label]
                _blend(corner, line_coverage(lettering.glyph(rank), label), ink)
            if row == 7:
                low, right = square - margin, square - margin
                corner = block[low - label : low, right - label : right]
                _blend(corner, line_coverage(lettering.glyph(file), label), ink)
    return image
