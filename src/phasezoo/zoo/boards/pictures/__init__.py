"""Pictures of chess boards."""

from typing import Any

from phasezoo.envs.rendering.painters import Painter
from phasezoo.zoo.boards.pictures.drawing import drawing
from phasezoo.zoo.boards.pictures.picture import picture
from phasezoo.zoo.boards.pictures.scene import Scene, scene_of
from phasezoo.zoo.boards.pictures.text import text

__all__ = ["PAINTER", "Scene", "scene_of"]


def _scene(state: Any, player: int | None, flipped: bool) -> Scene:
    return scene_of(state, flipped=flipped or player == 1)


PAINTER = Painter(_scene, text, drawing, picture)
"""Turns the board to the side of the player who looks at it."""
