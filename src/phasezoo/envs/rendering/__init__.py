"""Pictures of states, without a display: text, SVG, NumPy arrays, and films of whole games."""

from typing import Any

from phasezoo.envs.rendering.choice import painter_of
from phasezoo.envs.rendering.painters import check_player
from phasezoo.envs.rendering.replay import save_replay
from phasezoo.envs.rendering.window import Window
from phasezoo.errors import GameContract, InvalidConfig
from phasezoo.games import Game

__all__ = [
    "FPS",
    "MODES",
    "WINDOW",
    "check_mode",
    "modes_of",
    "open_window",
    "own_svg",
    "render",
    "save_replay",
]

MODES = ("ansi", "svg", "rgb_array")
"""Text, an SVG document, ``uint8[512, 512, 3]``."""

WINDOW = "human"
"""The mode that shows the picture in a window, in environments of one game."""

FPS = 2
"""Pictures per second, in windows and where Gymnasium records films."""


def modes_of(game: Game) -> tuple[str, ...]:
    """The modes in which a game can be drawn: one's own as text, and by ``svg()`` of its states."""
    if painter_of(game) is not None:
        return MODES
    return ("ansi", "svg") if hasattr(game.state_type, "svg") else ("ansi",)


def check_mode(game: Game, mode: str | None) -> str | None:
    """``mode``, if the game can be drawn in it.

    Raises:
        InvalidConfig: The game cannot be drawn in this mode.
    """
    return _one_of_modes(game, mode, modes_of(game))


def open_window(game: Game, mode: str | None) -> Window | None:
    """The window of an environment, if ``mode`` asks for one.

    Raises:
        InvalidConfig: The game has no such mode.
        MissingDependency: pygame, which shows windows, is not installed.
    """
    modes = modes_of(game)
    _one_of_modes(game, mode, (*modes, WINDOW) if "rgb_array" in modes else modes)
    return Window(game.name, FPS) if mode == WINDOW else None


def _one_of_modes(game: Game, mode: str | None, modes: tuple[str, ...]) -> str | None:
    if mode is None or mode in modes:
        return mode
    message = f"render_mode={mode!r}: {game.name} has {', '.join(map(repr, modes))} and None here"
    if mode == "svg" and not game.native:
        message += "; a method svg() of its states gives it pictures"
    raise InvalidConfig(message)


def own_svg(game: Game, state: Any) -> str | None:
    """The SVG document that a state of one's own game draws; None if it draws none.

    Raises:
        GameContract: It draws something else.
    """
    own = getattr(state, "svg", None)
    svg = own() if callable(own) else own
    if own is not None and (not isinstance(svg, str) or "<svg" not in svg):
        message = f"{game.name}: svg() gave {str(svg)[:40]!r}; expected an SVG document"
        raise GameContract(message)
    return svg


def _drawn_by_itself(game: Game, state: Any) -> str:
    svg = own_svg(game, state)
    if svg is None:
        message = f"{game.name}: svg() gave None; expected an SVG document"
        raise GameContract(message)
    return svg


def render(
    game: Game, state: Any, mode: str, *, flipped: bool = False, player: int | None = None
) -> Any:
    """A picture of ``state``.

    Args:
        game: Its game.
        state: What to draw.
        mode: One of :func:`modes_of` the game.
        flipped: Whether the second player sits at the bottom, in games whose boards are turned.
        player: Who looks. Boards are turned to their side; in games with hidden information the
            picture shows what their observations show. None sees all.

    Returns:
        ``str`` for ``"ansi"`` and ``"svg"``, ``uint8[512, 512, 3]`` for ``"rgb_array"``.

    Raises:
        InvalidConfig: The game cannot be drawn so, or has no such player.
        GameContract: ``svg()`` of a game of one's own gives no SVG document.
    """
    check_mode(game, mode)
    check_player(game, player)
    painter = painter_of(game)
    if painter is None:
        return str(state) if mode == "ansi" else _drawn_by_itself(game, state)
    scene = painter.scene(state, player, flipped)
    if mode == "rgb_array":
        return painter.picture(scene)
    return painter.drawing(scene).document() if mode == "svg" else painter.text(scene)
