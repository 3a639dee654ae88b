"""Boards as SVG: the shapes of the pictures, exact at any size."""

from functools import cache

from phasezoo.envs.rendering.picture import BORDER_WIDTH, HIGHLIGHT, POCKET, pocket_steps
from phasezoo.envs.rendering.scene import (
    BLACK,
    BORDER,
    CHECK,
    DARK,
    LAST_MOVE,
    LIGHT,
    STRIP,
    WHITE,
    Colour,
    Scene,
)
from phasezoo.envs.rendering.shapes import PIECES, Points, piece

__all__ = ["drawing"]

UNIT = 100
"""Length of a square in the drawing's own units."""


def drawing(scene: Scene, square: int = 64) -> str:
    """The board as an SVG document.

    Args:
        scene: What to draw.
        square: Pixels along a square at the drawing's natural size.
    """
    side = 8 * square
    margin = 0 if scene.pockets is None else round(POCKET * UNIT)
    whole = 8 * UNIT + 2 * margin
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" '
        f'viewBox="{-margin} {-margin} {whole} {whole}">'
    )
    parts = [head, f"<defs>{''.join(_symbol(letter) for letter in PIECES)}</defs>"]
    if margin:
        strips = f'x="{-margin}" y="{-margin}" width="{whole}" height="{whole}"'
        parts.append(f'<rect {strips} fill="{_hex(STRIP)}"/>')
    parts += [
        f'<rect width="{8 * UNIT}" height="{8 * UNIT}" fill="{_hex(LIGHT)}"/>',
    ]
    dark = "".join(
        f"M{column * UNIT} {row * UNIT}h{UNIT}v{UNIT}h-{UNIT}z"
        for row in range(8)
        for column in range(8)
        if (row + column) % 2
    )
    parts.append(f'<path d="{dark}" fill="{_hex(DARK)}"/>')
    parts += [_mark(scene, where, LAST_MOVE) for where in scene.last_move]
    if scene.check is not None:
        parts.append(_mark(scene, scene.check, CHECK))
    parts += _coordinates(scene)
    for where, letter in sorted(scene.pieces.items()):
        row, column = scene.place(where)
        parts.append(_use(letter, column * UNIT, row * UNIT))
    scale = margin / UNIT
    for letters, top in zip(scene.pocket_rows(), (-margin, 8 * UNIT), strict=True):
        for letter, left in zip(letters, pocket_steps(len(letters), whole, margin), strict=True):
            place = f"translate({left - margin:.1f} {top}) scale({scale})"
            parts.append(f'<g transform="{place}">{_use(letter, 0, 0)}</g>')
    return "".join([*parts, "</svg>"])


def _use(letter: str, x: int, y: int) -> str:
    fill, details = WHITE if letter.isupper() else BLACK
    return (
        f'<use href="#{letter.lower()}" x="{x}" y="{y}" '
        f'fill="{_hex(fill)}" color="{_hex(details)}"/>'
    )


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _mark(scene: Scene, where: int, colour: Colour) -> str:
    row, column = scene.place(where)
    return (
        f'<rect x="{column * UNIT}" y="{row * UNIT}" width="{UNIT}" height="{UNIT}" '
        f'fill="{_hex(colour)}" fill-opacity="{HIGHLIGHT}"/>'
    )


def _coordinates(scene: Scene) -> list[str]:
    style = 'font-family="sans-serif" font-size="19" font-weight="bold"'
    labels = []
    for index in range(8):
        file = "hgfedcba"[index] if scene.flipped else "abcdefgh"[index]
        rank = str(index + 1 if scene.flipped else 8 - index)
        light = (7 + index) % 2 == 0
        x, y = index * UNIT + UNIT - 5, 8 * UNIT - 6
        ink = _hex(DARK if light else LIGHT)
        labels.append(f'<text x="{x}" y="{y}" {style} text-anchor="end" fill="{ink}">{file}</text>')
        ink = _hex(DARK if index % 2 == 0 else LIGHT)
        labels.append(f'<text x="5" y="{index * UNIT + 19}" {style} fill="{ink}">{rank}</text>')
    return labels


@cache
def _symbol(letter: str) -> str:
    """A piece, to be used with ``fill`` for its body and ``color`` for its details."""
    shapes = piece(letter)
    body = "".join(f"{_path(outline)}z" for outline in shapes.outlines)
    border = f'stroke="{_hex(BORDER)}" stroke-width="{2 * BORDER_WIDTH * UNIT:.1f}"'
    lines = "".join(
        f'<path d="{_path(line.points)}" stroke-width="{line.width * UNIT:.1f}"/>'
        for line in shapes.details
    )
    return (
        f'<g id="{letter}"><path d="{body}" {border} stroke-linejoin="round"/>'
        f'<path d="{body}"/>'
        f'<g fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round">'
        f"{lines}</g></g>"
    )


def _path(points: Points) -> str:
    corners = [f"{x * UNIT:.1f} {(1.0 - y) * UNIT:.1f}" for x, y in points]
    if len(corners) == 1:
        corners *= 2  # a line of no length with round ends is a dot
    return f"M{'L'.join(corners)}"
