"""Boards as SVG: the shapes of the pictures, exact at any size."""

from functools import cache

from phasezoo.envs.rendering.document import UNIT, Drawing, hex_of, path
from phasezoo.envs.rendering.geometry import Colour
from phasezoo.zoo.boards.pictures.picture import BORDER_WIDTH, HIGHLIGHT, POCKET, pocket_steps
from phasezoo.zoo.boards.pictures.scene import (
    BLACK,
    BORDER,
    CHECK,
    DARK,
    LAST_MOVE,
    LIGHT,
    STRIP,
    WHITE,
    Scene,
)
from phasezoo.zoo.boards.pictures.shapes import PIECES, piece


def drawing(scene: Scene, square: int = 64) -> Drawing:
    """The board as SVG elements.

    Args:
        scene: What to draw.
        square: Pixels along a square at the drawing's natural size.
    """
    margin = 0 if scene.pockets is None else round(POCKET * UNIT)
    whole = 8 * UNIT + 2 * margin
    ground = []
    if margin:
        strips = f'x="{-margin}" y="{-margin}" width="{whole}" height="{whole}"'
        ground.append(f'<rect {strips} fill="{hex_of(STRIP)}"/>')
    ground.append(f'<rect width="{8 * UNIT}" height="{8 * UNIT}" fill="{hex_of(LIGHT)}"/>')
    dark = "".join(
        f"M{column * UNIT} {row * UNIT}h{UNIT}v{UNIT}h-{UNIT}z"
        for row in range(8)
        for column in range(8)
        if (row + column) % 2
    )
    ground.append(f'<path d="{dark}" fill="{hex_of(DARK)}"/>')
    things = [_mark(scene, where, LAST_MOVE) for where in scene.last_move]
    if scene.check is not None:
        things.append(_mark(scene, scene.check, CHECK))
    things.append(_coordinates(scene))
    for where, letter in sorted(scene.pieces.items()):
        row, column = scene.place(where)
        things.append(_use(letter, column * UNIT, row * UNIT))
    scale = margin / UNIT
    for letters, top in zip(scene.pocket_rows(), (-margin, 8 * UNIT), strict=True):
        for letter, left in zip(letters, pocket_steps(len(letters), whole, margin), strict=True):
            place = f"translate({left - margin:.1f} {top}) scale({scale})"
            things.append(f'<g transform="{place}">{_use(letter, 0, 0)}</g>')
    return Drawing(
        side=8 * square,
        view=(-margin, -margin, whole, whole),
        symbols={letter: _symbol(letter) for letter in PIECES},
        ground=tuple(ground),
        things=tuple(things),
    )


def _use(letter: str, x: int, y: int) -> str:
    fill, details = WHITE if letter.isupper() else BLACK
    return (
        f'<use href="#{letter.lower()}" x="{x}" y="{y}" '
        f'fill="{hex_of(fill)}" color="{hex_of(details)}"/>'
    )


def _mark(scene: Scene, where: int, colour: Colour) -> str:
    row, column = scene.place(where)
    return (
        f'<rect x="{column * UNIT}" y="{row * UNIT}" width="{UNIT}" height="{UNIT}" '
        f'fill="{hex_of(colour)}" fill-opacity="{HIGHLIGHT}"/>'
    )


def _coordinates(scene: Scene) -> str:
    labels = []
    for index in range(8):
        file = "hgfedcba"[index] if scene.flipped else "abcdefgh"[index]
        rank = str(index + 1 if scene.flipped else 8 - index)
        light = (7 + index) % 2 == 0
        x, y = index * UNIT + UNIT - 5, 8 * UNIT - 6
        ink = hex_of(DARK if light else LIGHT)
        labels.append(f'<text x="{x}" y="{y}" text-anchor="end" fill="{ink}">{file}</text>')
        ink = hex_of(DARK if index % 2 == 0 else LIGHT)
        labels.append(f'<text x="5" y="{index * UNIT + 19}" fill="{ink}">{rank}</text>')
    style = 'font-family="sans-serif" font-size="19" font-weight="bold"'
    return f"<g {style}>{''.join(labels)}</g>"


@cache
def _symbol(letter: str) -> str:
    """A piece, to be used with ``fill`` for its body and ``color`` for its details."""
    shapes = piece(letter)
    body = "".join(f"{path(outline)}z" for outline in shapes.outlines)
    border = f'stroke="{hex_of(BORDER)}" stroke-width="{2 * BORDER_WIDTH * UNIT:.1f}"'
    lines = "".join(
        f'<path d="{path(line.points)}" stroke-width="{line.width * UNIT:.1f}"/>'
        for line in shapes.details
    )
    return (
        f'<g id="{letter}"><path d="{body}" {border} stroke-linejoin="round"/>'
        f'<path d="{body}"/>'
        f'<g fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round">'
        f"{lines}</g></g>"
    )
