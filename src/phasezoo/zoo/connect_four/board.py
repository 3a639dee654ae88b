"""Playing on pictures of Connect Four: a spot for each column."""

from typing import Any

from phasezoo.envs.rendering.pointing import Box, Key, Pointing, Spot, Way
from phasezoo.envs.rendering.stamps import SIDE
from phasezoo.zoo.connect_four.pictures import CELL, COLUMNS, LEFT, LETTERS, ROWS, TOP, scene_of

SIDES = ("Vermilion", "Yellow")


def spots(state: Any, player: int | None, flipped: bool) -> list[Spot]:
    """The columns from the left."""
    cells = scene_of(state).cells
    found = []
    for column in range(COLUMNS):
        stones = [SIDES[owner] for owner in cells[:, column].tolist() if owner >= 0]
        above = f", from below {', '.join(stones)}" if stones else ", empty"
        box = Box((LEFT + column * CELL) / SIDE, TOP / SIDE, CELL / SIDE, (ROWS * CELL + 40) / SIDE)
        found.append(Spot(str(column + 1), f"column {column + 1}{above}", box))
    return found


def ways(state: Any, player: int) -> list[Way]:
    """One click on a column that is not full."""
    return [Way(action, (str(action + 1),)) for action in state.legal_actions.tolist()]


def name(state: Any, action: int) -> str:
    """The number of the column."""
    return str(action + 1)


BOARD = Pointing(
    spots,
    ways,
    name,
    keys=tuple(Key(str(action + 1), action, str(action + 1)) for action in range(COLUMNS)),
    gates=("plies:14,28", "threats:1,3", "plies:10,20"),
    sides=SIDES,
    letters=LETTERS,
    falls=True,
)
"""A column is dropped into by a click, or by its number."""
