"""Pictures of the ground of a Pommerman board, and of the power-ups."""

from phasezoo.envs.rendering.geometry import (
    Colour,
    Detail,
    Points,
    corners,
    ellipse,
    line,
    rounded,
    smooth,
)
from phasezoo.envs.rendering.stamps import Layer, Layers

LIGHT_FLOOR: Colour = (240, 235, 223)
DARK_FLOOR: Colour = (230, 223, 207)
RIGID: tuple[Colour, Colour, Colour] = ((62, 68, 80), (91, 99, 114), (116, 125, 141))
"""Shade, face and light of a wall that nothing breaks."""
WOOD: tuple[Colour, Colour, Colour] = ((126, 82, 44), (190, 136, 83), (212, 163, 110))
"""Shade, face and light of a crate."""
FOG: tuple[Colour, Colour] = ((164, 168, 178), (184, 188, 197))
CARD: Colour = (253, 252, 248)
"""Background of the pictograms of power-ups."""
BLUE: Colour = (38, 98, 168)
RED: Colour = (200, 66, 42)
GREEN: Colour = (22, 122, 86)

FLAME: Points = smooth(
    corners(
        (0.50, 0.08), (0.70, 0.15), (0.80, 0.34), (0.75, 0.53), (0.66, 0.62), (0.62, 0.78),
        (0.54, 0.94), (0.46, 0.76), (0.36, 0.66), (0.31, 0.74), (0.25, 0.56), (0.20, 0.36),
        (0.30, 0.15),
    )
)  # fmt: skip

BOOT: Points = smooth(
    corners(
        (0.16, 0.90), (0.34, 0.91), (0.50, 0.88), (0.53, 0.62), (0.66, 0.50), (0.86, 0.42),
        (0.94, 0.30), (0.93, 0.22), (0.66, 0.21), (0.36, 0.21), (0.14, 0.22), (0.13, 0.42),
        (0.16, 0.66),
    )
)  # fmt: skip


def tiles() -> dict[str, Layers]:
    """Floors of both board sizes, walls, fog and power-ups by name."""
    return {
        "floor-8": _floor(8),
        "floor-11": _floor(11),
        "rigid": _rigid(),
        "wood": _wood(),
        "fog": _fog(),
        "extra-bomb": _power_up(BLUE, _extra_bomb()),
        "range": _power_up(RED, _range()),
        "kick": _power_up(GREEN, _kick()),
    }


def _square(left: float = 0.0, bottom: float = 0.0, side: float = 1.0) -> Points:
    right, top = left + side, bottom + side
    return corners((left, bottom), (right, bottom), (right, top), (left, top))


def _floor(cells: int) -> Layers:
    dark = tuple(
        _square(column / cells, row / cells, 1.0 / cells)
        for row in range(cells)
        for column in range(cells)
        if (row + column) % 2
    )
    return Layer(LIGHT_FLOOR, (_square(),)), Layer(DARK_FLOOR, dark)


def _rigid() -> Layers:
    shade, face, light = RIGID
    rivets = tuple(line((x, y), width=0.09) for x in (0.24, 0.76) for y in (0.29, 0.81))
    return (
        Layer(shade, (rounded(0.02, 0.02, 0.98, 0.98, 0.10),)),
        Layer(light, (rounded(0.06, 0.13, 0.94, 0.95, 0.08),)),
        Layer(face, (rounded(0.09, 0.13, 0.91, 0.92, 0.07),)),
        Layer(shade, lines=rivets),
    )


def _wood() -> Layers:
    """A crate: upright boards in a frame with a brace across."""
    shade, face, light = WOOD
    gaps = tuple(line((x, 0.2), (x, 0.8), width=0.03) for x in (0.36, 0.5, 0.64))
    frame = (
        line((0.15, 0.15), (0.85, 0.15), (0.85, 0.85), (0.15, 0.85), (0.15, 0.15), width=0.13),
    )
    brace = corners((0.25, 0.25), (0.75, 0.75))
    return (
        Layer(shade, (rounded(0.02, 0.02, 0.98, 0.98, 0.10),)),
        Layer(face, (rounded(0.2, 0.2, 0.8, 0.8, 0.02),)),
        Layer(shade, lines=(*gaps, Detail(brace, 0.2))),
        Layer(light, lines=(*frame, Detail(brace, 0.13))),
    )


def _fog() -> Layers:
    """A cloud on a dull cell."""
    dull, cloud = FOG
    puffs = ((0.3, 0.42, 0.14), (0.47, 0.54, 0.19), (0.68, 0.46, 0.16))
    balls = tuple(ellipse(x, y, radius, radius) for x, y, radius in puffs)
    return (
        Layer(dull, (_square(),)),
        Layer(cloud, (*balls, rounded(0.16, 0.28, 0.84, 0.48, 0.1))),
    )


def _power_up(colour: Colour, drawing: Layers) -> Layers:
    return (
        Layer(colour, (rounded(0.05, 0.05, 0.95, 0.95, 0.2),)),
        Layer(CARD, (rounded(0.11, 0.11, 0.89, 0.89, 0.15),)),
        *drawing,
    )


def bomb_outlines(x: float, y: float, radius: float) -> tuple[Points, Points]:
    """A ball around ``(x, y)`` and the neck at its upper right."""
    neck = corners((0.52, 1.0), (1.0, 0.52), (1.18, 0.70), (0.70, 1.18)) * (0.86 * radius) + (x, y)
    return ellipse(x, y, radius, radius), neck


def _extra_bomb() -> Layers:
    plus = (
        line((0.60, 0.30), (0.80, 0.30), width=0.08),
        line((0.70, 0.20), (0.70, 0.40), width=0.08),
    )
    fuse = line((0.60, 0.74), (0.66, 0.80), (0.74, 0.78), width=0.05, curved=True)
    return (
        Layer(BLUE, bomb_outlines(0.42, 0.52, 0.23), (fuse,)),
        Layer(CARD, (ellipse(0.70, 0.30, 0.17, 0.17),)),
        Layer(BLUE, lines=plus),
    )


def _range() -> Layers:
    """A flame between two arrows that point away from it."""
    flame = (FLAME - 0.5) * (0.62, 0.72) + 0.5
    heads = tuple(
        line((x - 0.05 * way, 0.62), (x + 0.05 * way, 0.5), (x - 0.05 * way, 0.38), width=0.065)
        for x, way in ((0.77, 1), (0.23, -1))
    )
    return Layer(RED, (flame,)), Layer(RED, lines=heads)


def _kick() -> Layers:
    sole = line((0.24, 0.22), (0.79, 0.22), width=0.06)
    lace = line((0.30, 0.66), (0.47, 0.66), width=0.045)
    boot = (BOOT - 0.5) * 0.68 + (0.5, 0.51)
    return Layer(GREEN, (boot,), (sole,)), Layer(CARD, lines=(lace,))
