"""Pictures of Pommerman."""

from typing import Any

from phasezoo.envs.rendering.painters import Painter
from phasezoo.envs.rendering.stamping import drawn, stamped
from phasezoo.zoo.pommerman.pictures import scene as codes
from phasezoo.zoo.pommerman.pictures.scene import Figure, Scene, scene_of
from phasezoo.zoo.pommerman.pictures.sketch import sketch

__all__ = ["PAINTER", "Scene", "scene_of"]


_CELLS = {
    codes.PASSAGE: ".",
    codes.RIGID: "#",
    codes.WOOD: "+",
    codes.FOG: "?",
    codes.EXTRA_BOMB: "b",
    codes.RANGE: "r",
    codes.KICK: "k",
}


def text(scene: Scene) -> str:
    """The board as lines of ASCII, below it the step and a line for each player.

    ``#`` is a rigid wall, ``+`` wood, ``.`` a passage, ``b``, ``r`` and ``k`` are power-ups (an
    extra bomb, range, kick), ``?`` is fog, ``o`` a bomb and ``*`` a flame with the remaining life
    behind it, and a digit is a player, with a bomb's life behind it if they stand on one.
    """
    rows = [[f"{_CELLS[code]} " for code in row] for row in scene.cells]
    for (row, column), life in scene.flames.items():
        rows[row][column] = f"*{_digit(life)}"
    for (row, column), bomb in scene.bombs.items():
        rows[row][column] = f"o{_digit(bomb.life)}"
    for number, figure in enumerate(scene.figures):
        if figure.cell is not None:
            row, column = figure.cell
            rows[row][column] = f"{number}{rows[row][column][1]}"
    over = "" if scene.ending is None else f", over: {scene.ending}"
    return "\n".join(
        [
            *(" ".join(row).rstrip() for row in rows),
            f"step {scene.step}{over}",
            *(_status(number, figure) for number, figure in enumerate(scene.figures)),
        ]
    )


def _digit(life: int) -> str:
    """One place; only in states that were set by hand is there more than 9 after a step."""
    return str(life) if life < 10 else "+"


def _status(number: int, figure: Figure) -> str:
    ammo, strength, kicks = ("?", "?", None) if figure.means is None else figure.means
    kick = {True: "yes", False: "no", None: "?"}[kicks]
    alive = "alive" if figure.alive else "dead"
    words = "" if figure.words is None else "  words {} {}".format(*figure.words)
    won = "  won" if figure.won else ""
    means = f"ammo {ammo:<2}  blast {strength:<2}  kick {kick:<3}"
    return f"{number} {alive:<5}  {means}{words}{won}".rstrip()


def _scene(state: Any, player: int | None, flipped: bool) -> Scene:
    return scene_of(state, player)


PAINTER = Painter(
    scene=_scene,
    text=text,
    drawing=lambda scene: drawn(sketch(scene)),
    picture=lambda scene: stamped(sketch(scene)),
)
"""Everybody looks at the board the same way round."""
