"""Whole games as films: animated GIF and animated SVG."""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phasezoo.envs.rendering.choice import painter_of
from phasezoo.envs.rendering.document import animated
from phasezoo.envs.rendering.painters import Painter, Picture, check_player
from phasezoo.errors import InvalidConfig, needs
from phasezoo.games import game_of
from phasezoo.runs.files import save_files

if TYPE_CHECKING:
    from PIL import Image

FASTEST = 50.0
"""Frames per second; GIF counts in hundredths of a second, and viewers slow down frames of one."""
SLOWEST = 0.1
COLOUR_FRAMES = 24
"""How many frames, spread over the film, its colours are taken from."""


def save_replay(
    states: Iterable[Any],
    path: "str | PathLike[str]",
    *,
    fps: float = 4,
    player: int | None = None,
) -> None:
    """Write a film of a game that repeats for ever.

    An SVG is sharp at any size and needs nothing installed; a GIF, of 512 pixels, is shown
    everywhere and needs Pillow. In a GIF, equal pictures that follow each other are one frame that
    lasts longer.

    Args:
        states: At least one, all of one game that has pictures.
        path: Where to; ends in ``.gif`` or ``.svg``.
        fps: States per second, 0.1 to 50.
        player: Who looks, as in :func:`phasezoo.envs.rendering.render`.

    Raises:
        InvalidConfig: ``states`` is empty or mixes games, or the game has no pictures or no such
            player, or the path ends otherwise, or ``fps`` is out of range.
        MissingDependency: A GIF was asked for, and Pillow is not installed.
        RunDirectoryError: The file cannot be written.
        UnknownGame: A state is of no registered game.
    """
    states, path = list(states), Path(path)
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        message = f"{str(path)!r}: films end in {' or '.join(_WRITERS)}"
        raise InvalidConfig(message)
    if not (isinstance(fps, (int, float, np.number)) and SLOWEST <= fps <= FASTEST):
        message = f"fps={fps!r}: expected {SLOWEST:g} to {FASTEST:g} states per second"
        raise InvalidConfig(message)
    painter = _painter(states, player)
    write([painter.scene(state, player, False) for state in states], painter, path, float(fps))


def _painter(states: Sequence[Any], player: int | None) -> Painter:
    """Who draws all of the states."""
    if len(states) == 0:
        message = "save_replay() was given no states: a film needs at least one"
        raise InvalidConfig(message)
    game = game_of(states[0])
    for index, state in enumerate(states):
        other = game_of(state)
        if other != game:
            message = (
                f"states[{index}] is of {other.name!r} and states[0] of {game.name!r}: "
                "a film shows one game"
            )
            raise InvalidConfig(message)
    check_player(game, player)
    painter = painter_of(game)
    if painter is None:
        message = f"{game.name!r} has no pictures; the games of the package have"
        raise InvalidConfig(message)
    return painter


def _write_svg(scenes: Sequence[Any], painter: Painter, path: Path, fps: float) -> None:
    save_files({path: animated([painter.drawing(scene) for scene in scenes], fps)})


def _write_gif(scenes: Sequence[Any], painter: Painter, path: Path, fps: float) -> None:
    with needs("animated GIFs need Pillow (an .svg needs nothing)", "plot"):
        from PIL import Image
    palette = _palette(scenes, painter.picture)

    def frames() -> Iterator["Image.Image"]:
        for scene in scenes:
            picture = Image.fromarray(painter.picture(scene))
            yield picture.quantize(palette=palette, dither=Image.Dither.NONE)

    film = frames()
    # In hundredths of a second, so that what is rounded off does not add up.
    ends = [round(100 * index / fps) for index in range(len(scenes) + 1)]
    durations = [10 * (end - start) for start, end in pairwise(ends)]
    content = io.BytesIO()
    next(film).save(content, "GIF", save_all=True, append_images=film, duration=durations, loop=0)
    save_files({path: content.getvalue()})


def _palette(scenes: Sequence[Any], picture: Callable[[Any], Picture]) -> "Image.Image":
    """The colours of all frames: with colours of its own, each frame would flicker."""
    from PIL import Image

    count = min(len(scenes), COLOUR_FRAMES)
    chosen = np.linspace(0, len(scenes) - 1, count).round().astype(int)
    # Every fourth pixel: enough to meet all colours that cover more than specks.
    sample = np.concatenate([picture(scenes[index])[::2, ::2] for index in chosen])
    return Image.fromarray(sample).quantize(256, method=Image.Quantize.MEDIANCUT)


_WRITERS = {".gif": _write_gif, ".svg": _write_svg}
