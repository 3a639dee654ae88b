"""Pictures of what moves and burns on a Pommerman board, and of the signs of its status strip."""

import numpy as np

from phasezoo.envs.rendering.geometry import (
    Colour,
    Detail,
    corners,
    ellipse,
    line,
    rounded,
    smooth,
)
from phasezoo.envs.rendering.stamps import Layer, Layers
from phasezoo.zoo.pommerman.pictures.tiles import BOOT, FLAME, bomb_outlines

BORDER: Colour = (28, 29, 34)
IRON: Colour = (43, 45, 54)
SHINE: Colour = (112, 116, 130)
FUSE: Colour = (148, 112, 72)
SPARK: Colour = (246, 150, 32)
PALE: Colour = (252, 250, 245)
CROSS: Colour = (232, 92, 76)
GOLD: Colour = (255, 210, 74)
SIGN: Colour = (214, 218, 226)
"""Signs on the dark strip."""
HEAT: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((222, 178, 160), (206, 112, 88), (228, 150, 124)),
    ((243, 176, 120), (232, 104, 40), (250, 190, 92)),
    ((250, 206, 96), (240, 126, 28), (255, 244, 196)),
)
"""Glow on the floor, flame and its core, by the remaining life: dying down, burning, new."""

BALL = (0.44, 0.42, 0.36)
"""Centre and radius of a bomb's ball, where its number goes."""
VISOR = (0.5, 0.44, 0.25)
"""Centre and half the width of a figure's face, where its number goes."""


def tokens() -> dict[str, Layers]:
    """Bombs, their arrows, flames by remaining life, figures, and signs by name."""
    return {
        "bomb": _bomb(),
        **{f"arrow-{way}": _arrow(way) for way in (1, 2, 3, 4)},
        **{f"flame-{life}": _flame(*HEAT[life]) for life in (0, 1, 2)},
        "figure": _figure(),
        "cross": _cross(),
        "star": _star(),
        "eye": _eye(),
        "ammo-sign": _ammo_sign(),
        "reach-sign": (Layer(SIGN, (FLAME,)),),
        "kick-sign": _kick_sign(),
        "words-sign": _words_sign(),
    }


def _bomb() -> Layers:
    x, y, radius = BALL
    fuse = line((0.70, 0.70), (0.76, 0.80), (0.86, 0.82), width=0.06, curved=True)
    shine = line((x - 0.25, y + 0.07), (x - 0.19, y + 0.18), (x - 0.08, y + 0.26), width=0.05,
                 curved=True)  # fmt: skip
    return (
        Layer(FUSE, lines=(fuse,)),
        Layer(SPARK, lines=(line((0.88, 0.83), width=0.16),)),
        Layer(IRON, bomb_outlines(x, y, radius)),
        Layer(SHINE, lines=(shine,)),
    )


def _arrow(way: int) -> Layers:
    """At the edge of the cell to which a bomb rolls: 1 up, 2 down, 3 left, 4 right."""
    tip = corners((-0.14, 0.36), (0.14, 0.36), (0.0, 0.49))
    right, up = {1: (1, 0), 2: (-1, 0), 3: (0, 1), 4: (0, -1)}[way]
    turned = tip @ corners((right, up), (-up, right)) + 0.5
    return Layer(BORDER, (turned,), border=0.06), Layer(SPARK, (turned,))


def _flame(glow: Colour, flame: Colour, core: Colour) -> Layers:
    inner = (FLAME - (0.5, 0.08)) * (0.52, 0.55) + (0.5, 0.14)
    return (
        Layer(glow, (rounded(0.0, 0.0, 1.0, 1.0, 0.06),)),
        Layer(flame, (FLAME,)),
        Layer(core, (inner,)),
    )


def _figure() -> Layers:
    """A head with a bobble; the ink is the player's colour."""
    x, y, half = VISOR
    head = rounded(0.12, 0.08, 0.88, 0.80, 0.26)
    bobble = ellipse(0.5, 0.88, 0.085, 0.085)
    face = rounded(x - half, y - half, x + half, y + half, 0.13)
    return (
        Layer(BORDER, (head, bobble), border=0.06),
        Layer(None, (head, bobble)),
        Layer(PALE, (face,)),
    )


def _cross() -> Layers:
    strokes = (corners((0.15, 0.15), (0.85, 0.85)), corners((0.15, 0.85), (0.85, 0.15)))
    return (
        Layer(BORDER, lines=tuple(Detail(stroke, 0.24) for stroke in strokes)),
        Layer(CROSS, lines=tuple(Detail(stroke, 0.13) for stroke in strokes)),
    )


def _star() -> Layers:
    angle = np.pi / 2.0 + np.arange(10) * np.pi / 5.0
    reach = np.where(np.arange(10) % 2, 0.19, 0.44)
    star = np.stack([0.5 + reach * np.cos(angle), 0.48 + reach * np.sin(angle)], axis=1)
    return Layer(BORDER, (star,), border=0.1), Layer(GOLD, (star,))


def _eye() -> Layers:
    lid = smooth(corners((0.04, 0.5), (0.27, 0.72), (0.5, 0.78), (0.73, 0.72), (0.96, 0.5),
                         (0.73, 0.28), (0.5, 0.22), (0.27, 0.28)))  # fmt: skip
    return Layer(PALE, (lid,)), Layer(BORDER, (ellipse(0.5, 0.5, 0.2, 0.2),))


def _ammo_sign() -> Layers:
    fuse = line((0.68, 0.72), (0.76, 0.82), (0.88, 0.82), width=0.08, curved=True)
    return (Layer(SIGN, bomb_outlines(0.44, 0.42, 0.32), (fuse,)),)


def _kick_sign() -> Layers:
    """A boot in ink: bright for who can kick."""
    sole = line((0.14, 0.11), (0.92, 0.11), width=0.08)
    return (Layer(None, (BOOT,), (sole,)),)


def _words_sign() -> Layers:
    tail = corners((0.2, 0.3), (0.45, 0.3), (0.18, 0.06))
    return (Layer(SIGN, (rounded(0.05, 0.26, 0.95, 0.92, 0.2), tail)),)
