"""Playing on pictures of Pommerman: arrow keys, or the cells around the player's figure."""

from typing import Any

from phasezoo.envs.rendering.pointing import Box, Key, Pointing, Spot, Way
from phasezoo.envs.rendering.stamps import SIDE
from phasezoo.zoo.pommerman.pictures.scene import PASSAGE, RIGID, WOOD, Scene, scene_of
from phasezoo.zoo.pommerman.pictures.sketch import BOARD as WIDTH, LEFT, TOP

STEPS = {1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1), 5: (0, 0)}
"""Rows and columns that an action leads to; a bomb is laid where the figure stands."""

MOVES = 6
"""Actions without the words of the radio."""

NAMES = ("stop", "up", "down", "left", "right", "bomb")
GROUND = {PASSAGE: "passage", RIGID: "wall", WOOD: "wood"}

GATES = ("steps:40", "steps:100,300", "opponents", "proximity:4")


def spots(state: Any, player: int | None, flipped: bool) -> list[Spot]:
    """The cells, by row from the top and column from the left."""
    scene = scene_of(state, player)
    cell = WIDTH // scene.size / SIDE
    left, top = LEFT / SIDE, TOP / SIDE
    return [
        Spot(
            f"{row},{column}",
            f"row {row + 1}, column {column + 1}: {_what(scene, row, column)}",
            Box(left + column * cell, top + row * cell, cell, cell),
        )
        for row in range(scene.size)
        for column in range(scene.size)
    ]


def _what(scene: Scene, row: int, column: int) -> str:
    found = [
        f"player {number}"
        for number, each in enumerate(scene.figures)
        if each.cell == (row, column)
    ]
    if (row, column) in scene.bombs:
        found.append(f"bomb, {scene.bombs[row, column].life} steps left")
    if (row, column) in scene.flames:
        found.append("flames")
    return ", ".join(found) or GROUND.get(scene.cells[row][column], "power-up or fog")


def ways(state: Any, player: int) -> list[Way]:
    """The cells beside the figure move it there; its own cell lays a bomb.

    Walls and wood stop it: that they may be walked against is left to the keys.
    """
    row, column = state.agents[player][:2]
    found = []
    for action in state.legal_actions_of(player).tolist():
        if action not in STEPS:
            continue
        across, down = column + STEPS[action][1], row + STEPS[action][0]
        is_inside = 0 <= across < state.size and 0 <= down < state.size
        if is_inside and int(state.board[down, across]) not in (RIGID, WOOD):
            found.append(Way(action, (f"{down},{across}",)))
    return found


def name(state: Any, action: int) -> str:
    """Return the figure's action, and in games with a radio the two words."""
    move, words = action % MOVES, action // MOVES
    return NAMES[move] if not words else f"{NAMES[move]} ({words % 8}, {words // 8})"


BOARD = Pointing(
    spots,
    ways,
    name,
    keys=(
        Key("ArrowUp", 1, "↑"),
        Key("ArrowLeft", 3, "←"),
        Key(".", 0, "stop"),
        Key("ArrowRight", 4, "→"),
        Key("ArrowDown", 2, "↓"),
        Key(" ", 5, "bomb"),
    ),
    gates=GATES,
)
"""Arrow keys move, the space bar lays a bomb, a full stop waits."""
