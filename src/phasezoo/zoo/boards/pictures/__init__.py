"""Pictures of chess boards."""

from typing import Any

from phasezoo.envs.rendering.painters import Painter
from phasezoo.envs.rendering.stamping import drawn, stamped
from phasezoo.zoo.boards.pictures.scene import Scene, scene_of
from phasezoo.zoo.boards.pictures.sketch import sketch

__all__ = ["PAINTER", "Scene", "scene_of"]


def text(scene: Scene) -> str:
    """The board as nine lines of ASCII; FEN letters, dots for empty squares.

    Pockets stand beside the first and the last rank, on the side of whom they belong to.
    """
    rows = [["."] * 8 for _ in range(8)]
    for square, letter in scene.pieces.items():
        row, column = scene.place(square)
        rows[row][column] = letter
    ranks = range(1, 9) if scene.flipped else range(8, 0, -1)
    files = "hgfedcba" if scene.flipped else "abcdefgh"
    lines = [f"{rank} {' '.join(row)}" for rank, row in zip(ranks, rows, strict=True)]
    if scene.pockets is not None:
        top, bottom = scene.pocket_rows()
        lines[0] += f"  [{top}]"
        lines[7] += f"  [{bottom}]"
    return "\n".join([*lines, f"  {' '.join(files)}"])


def _scene(state: Any, player: int | None, flipped: bool) -> Scene:
    return scene_of(state, flipped=flipped or player == 1)


PAINTER = Painter(
    scene=_scene,
    text=text,
    drawing=lambda scene: drawn(sketch(scene)),
    picture=lambda scene: stamped(sketch(scene)),
)
"""Turns the board to the side of the player who looks at it."""
