"""Pictures of Pommerman."""

from typing import Any

from phasezoo.envs.rendering.painters import Painter
from phasezoo.envs.rendering.stamping import drawn, stamped
from phasezoo.zoo.pommerman.pictures.scene import Scene, scene_of
from phasezoo.zoo.pommerman.pictures.sketch import sketch
from phasezoo.zoo.pommerman.pictures.text import text

__all__ = ["PAINTER", "Scene", "scene_of"]


def _scene(state: Any, player: int | None, flipped: bool) -> Scene:
    return scene_of(state, player)


PAINTER = Painter(
    scene=_scene,
    text=text,
    drawing=lambda scene: drawn(sketch(scene)),
    picture=lambda scene: stamped(sketch(scene)),
)
"""Everybody looks at the board the same way round."""
