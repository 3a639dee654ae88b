"""Boards of games that have no picture of their own: the cells of their planes."""

from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from phasezoo import games
from phasezoo.envs.rendering.document import hex_of
from phasezoo.envs.rendering.geometry import Colour
from phasezoo.envs.rendering.pointing import Box, Spot, Way

CELL = 60
INKS: tuple[Colour, ...] = (
    (0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (86, 180, 233), (230, 159, 0),
    (120, 94, 240), (90, 90, 90),
)  # fmt: skip
"""Of planes in turn: Okabe and Ito's palette (2008), and two more."""


def _cells(game: games.Game, state: Any) -> dict[tuple[int, int], dict[int, str]]:
    """The planes that are not 0 in each cell, as the first player sees them.

    Each has its number in the cell, or an empty text if it has no others than 0 and 1. Planes that
    are alike in all cells describe no cell, unless all of them are.
    """
    planes = games.planes_of(state, game.default_planes, 0)
    vary = [k for k in range(len(planes)) if np.ptp(planes[k]) > 0] or range(len(planes))
    counts = [k for k in vary if not np.isin(planes[k], (0, 1)).all()]
    _, height, width = planes.shape
    return {
        (row, column): {
            k: f"{planes[k, row, column]:.4g}" if k in counts else ""
            for k in vary
            if planes[k, row, column] != 0
        }
        for row in range(height)
        for column in range(width)
    }


def grid_svg(game: games.Game, state: Any) -> str:
    """A board with a disc for each plane that a cell is in, and the numbers of those that count."""
    cells, names = _cells(game, state), game.names_of_planes()
    height, width = (1 + max(place) for place in zip(*cells, strict=True))
    parts = []
    for (row, column), inside in cells.items():
        x, y = column * CELL, row * CELL
        parts.append(
            f'<rect x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{CELL - 2}" rx="4" '
            'fill="#ece7dc"/>'
        )
        for place, plane in enumerate(inside):
            radius = (CELL * 0.36) / (1 + place * 0.6)
            ink = hex_of(INKS[plane % len(INKS)])
            parts.append(
                f'<circle cx="{x + CELL / 2}" cy="{y + CELL / 2}" r="{radius:.1f}" fill="{ink}" '
                f'stroke="#fff" stroke-width="2"><title>{escape(names[plane])}</title></circle>'
            )
        if number := "/".join(filter(None, inside.values())):
            parts.append(
                f'<text x="{x + CELL / 2}" y="{y + CELL / 2}" font-size="{CELL * 0.3:g}" '
                'text-anchor="middle" dominant-baseline="central" font-family="sans-serif" '
                f'fill="#fff" stroke="#222" stroke-width="3" paint-order="stroke">{number}</text>'
            )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * CELL}" height="{height * CELL}" '
        f'viewBox="0 0 {width * CELL} {height * CELL}"><rect width="100%" height="100%" '
        f'fill="#8b9bae"/>{"".join(parts)}</svg>'
    )


def grid_spots(game: games.Game, state: Any) -> list[Spot]:
    """The cells, by row and column from the top left."""
    cells, names = _cells(game, state), game.names_of_planes()
    height, width = (1 + max(place) for place in zip(*cells, strict=True))
    return [
        Spot(
            f"{row},{column}",
            f"row {row + 1}, column {column + 1}: "
            + (
                ", ".join(f"{names[k]} {number}".strip() for k, number in inside.items()) or "empty"
            ),
            Box(column / width, row / height, 1 / width, 1 / height),
        )
        for (row, column), inside in cells.items()
    ]


def grid_ways(game: games.Game, state: Any, player: int) -> list[Way]:
    """Return a cell for each action, if they are equally many; one action more is a pass.

    Other actions are chosen from a list.
    """
    _, height, width = game.plane_shape()
    cells = height * width
    if game.num_actions not in (cells, cells + 1):
        return []
    return [
        Way(action, (f"{action // width},{action % width}",))
        for action in games.legal_actions_of(state, player).tolist()
        if action < cells
    ]
