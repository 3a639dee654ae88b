"""Pictures of states, without a display: text, SVG, and NumPy arrays."""

from typing import Any

from phasezoo.envs.rendering.drawing import drawing
from phasezoo.envs.rendering.picture import picture
from phasezoo.envs.rendering.scene import Scene, scene_of
from phasezoo.envs.rendering.text import text
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game

__all__ = ["MODES", "Scene", "check_mode", "modes_of", "render", "scene_of"]

MODES = ("ansi", "svg", "rgb_array")
"""Text, an SVG document, ``uint8[512, 512, 3]``."""


def modes_of(game: Game) -> tuple[str, ...]:
    """The modes in which a game can be drawn; others than board games are text alone."""
    return MODES if game.native else ("ansi",)


def check_mode(game: Game, mode: str | None) -> str | None:
    """``mode``, if the game can be drawn so.

    Raises:
        InvalidConfig: It cannot.
    """
    if mode is None or mode in modes_of(game):
        return mode
    hint = "; phasezoo opens no window" if mode == "human" else ""
    known = ", ".join(map(repr, modes_of(game)))
    message = f"render_mode={mode!r}: {game.name} has {known} and None{hint}"
    raise InvalidConfig(message)


def render(game: Game, state: Any, mode: str, *, flipped: bool = False) -> Any:
    """A picture of ``state``.

    Args:
        game: Its game.
        state: What to draw.
        mode: One of :func:`modes_of` the game.
        flipped: Whether the second player sits at the bottom.

    Returns:
        ``str`` for ``"ansi"`` and ``"svg"``, ``uint8[512, 512, 3]`` for ``"rgb_array"``.

    Raises:
        InvalidConfig: The game cannot be drawn so.
    """
    check_mode(game, mode)
    if not game.native:
        return str(state)
    scene = scene_of(state, flipped=flipped)
    if mode == "rgb_array":
        return picture(scene)
    return drawing(scene) if mode == "svg" else text(scene)
