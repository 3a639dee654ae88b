"""Pictures of Connect Four: seven columns with their numbers below, the last stone marked."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.envs.rendering import lettering
from phasezoo.envs.rendering.geometry import Colour, Points, corners, ellipse
from phasezoo.envs.rendering.painters import Painter
from phasezoo.envs.rendering.stamping import drawn, stamped
from phasezoo.envs.rendering.stamps import SIDE, Layer, Sketch, Stamp, Symbol

ROWS, COLUMNS = 6, 7
CELL = 68
LEFT = (SIDE - COLUMNS * CELL) // 2
TOP = 30
NUMBER = 34

BACKDROP: Colour = (238, 240, 244)
BOARD: Colour = (36, 84, 148)
EMPTY: Colour = (226, 230, 238)
STONES: tuple[Colour, Colour] = ((213, 94, 0), (240, 228, 66))
"""Vermilion and yellow (of Okabe and Ito's palette, 2008): distinct for everybody."""
RIM: Colour = (28, 29, 34)
INK: Colour = (60, 64, 74)

LETTERS = "XO"
"""The stones of player 0 and player 1 as text."""


@dataclass(frozen=True)
class Scene:
    """Scene of a state."""

    cells: npt.NDArray[np.int8]
    """``int8[6, 7]``, row 0 at the bottom: the player whose stone lies there, -1 for nobody."""
    last: tuple[int, int] | None
    """Row and column of the last stone."""
    line: frozenset[tuple[int, int]]
    """The cells of the lines of four."""


def scene_of(state: Any) -> Scene:
    """Return the scene of a state."""
    own, theirs, _ = state.planes("default", 0)
    cells = np.where(own == 1, 0, np.where(theirs == 1, 1, -1)).astype(np.int8)
    last = None
    if state.columns:
        column = int(state.columns[-1]) - 1
        last = int((cells[:, column] >= 0).sum()) - 1, column
    return Scene(cells, last, _lines(cells))


def _lines(cells: npt.NDArray[np.int8]) -> frozenset[tuple[int, int]]:
    found = set()
    for row in range(ROWS):
        for column in range(COLUMNS):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(row + i * up, column + i * right) for i in range(4)]
                end_row, end_column = line[-1]
                if end_row >= ROWS or not 0 <= end_column < COLUMNS:
                    continue
                owners = {int(cells[cell]) for cell in line}
                if len(owners) == 1 and owners != {-1}:
                    found.update(line)
    return frozenset(found)


def text(scene: Scene) -> str:
    """The board as seven lines of ASCII.

    ``X`` is a stone of player 0, ``O`` one of player 1, a dot an empty cell. The numbers of the
    columns stand below, as the notation of games has them: 1 for action 0.
    """
    rows = [
        " ".join("." if owner < 0 else LETTERS[owner] for owner in row) for row in scene.cells[::-1]
    ]
    return "\n".join([*rows, " ".join(str(column + 1) for column in range(COLUMNS))])


def _square() -> Points:
    return corners((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


_HOLE = Symbol(
    "hole", (Layer(BOARD, (_square(),)), Layer(EMPTY, (ellipse(0.5, 0.5, 0.40, 0.40, steps=64),)))
)
_STONE = Symbol(
    "stone",
    (
        Layer(RIM, (ellipse(0.5, 0.5, 0.41, 0.41, steps=64),)),
        Layer(None, (ellipse(0.5, 0.5, 0.385, 0.385, steps=64),)),
    ),
)
_LAST = Symbol("last", (Layer(RIM, (ellipse(0.5, 0.5, 0.09, 0.09),)),))
_IN_LINE = Symbol(
    "in-line",
    (
        Layer(RIM, (ellipse(0.5, 0.5, 0.20, 0.20, steps=48),)),
        Layer(BACKDROP, (ellipse(0.5, 0.5, 0.15, 0.15, steps=48),)),
    ),
)
_NUMBERS = tuple(
    Symbol(f"number-{number}", (Layer(INK, lines=lettering.glyph(str(number))),))
    for number in range(1, COLUMNS + 1)
)


def sketch(scene: Scene) -> Sketch:
    """The stamps of a board."""
    ground, things = [], []
    for row in range(ROWS):
        for column in range(COLUMNS):
            left, top = LEFT + column * CELL, TOP + (ROWS - 1 - row) * CELL
            ground.append(Stamp(_HOLE, left, top, CELL))
            owner = int(scene.cells[row, column])
            if owner >= 0:
                things.append(Stamp(_STONE, left, top, CELL, STONES[owner]))
            if (row, column) in scene.line:
                things.append(Stamp(_IN_LINE, left, top, CELL))
            elif (row, column) == scene.last:
                things.append(Stamp(_LAST, left, top, CELL))
    below = TOP + ROWS * CELL + 8
    for column, number in enumerate(_NUMBERS):
        left = LEFT + column * CELL + (CELL - NUMBER) // 2
        ground.append(Stamp(number, left, below, NUMBER))
    return Sketch(BACKDROP, tuple(ground), tuple(things))


def _scene(state: Any, player: int | None, flipped: bool) -> Scene:
    return scene_of(state)


PAINTER = Painter(
    scene=_scene,
    text=text,
    drawing=lambda scene: drawn(sketch(scene)),
    picture=lambda scene: stamped(sketch(scene)),
)
"""Both players look at the board the same way round."""
