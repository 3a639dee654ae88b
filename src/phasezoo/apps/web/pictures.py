"""A state as the page shows it: picture, places to point at, and what they mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from phasezoo import games
from phasezoo.apps.web.grid import grid_spots, grid_svg, grid_ways
from phasezoo.envs.rendering import own_svg, render
from phasezoo.envs.rendering.choice import name_of, painter_of, pointing_of
from phasezoo.envs.rendering.pointing import Pointing

MOST_ACTIONS = 1000
"""Actions that are listed one by one; of games with more the page shows the parts."""


@dataclass(frozen=True)
class Sight:
    """Settings of one page's view of a game."""

    flipped: bool = False
    viewer: int | None = None
    """The player through whose eyes they look; None sees all."""


def board_of(
    game: games.Game, state: Any, sight: Sight, actor: int | None = None, alt: str = ""
) -> dict[str, Any]:
    """A state as the page draws it.

    Args:
        game: Its game.
        state: What to show.
        sight: How it is looked at.
        actor: The player who may act on this page now; None for nobody.
        alt: What the picture shows, in words.
    """
    pointing = pointing_of(game)
    own = own_svg(game, state) if painter_of(game) is None and pointing is None else None
    if painter_of(game) is not None:
        svg = render(game, state, "svg", flipped=sight.flipped, player=sight.viewer)
    else:
        svg = grid_svg(game, state) if own is None else own
    board: dict[str, Any] = {"svg": svg, "alt": alt, "spots": [], "actor": actor}
    if pointing is not None:
        board["spots"] = pointing.spots(state, sight.viewer, sight.flipped)
        board["keys"] = [key._asdict() for key in pointing.keys]
    elif own is None:
        board["spots"] = grid_spots(game, state)
    board["spots"] = [
        [spot.name, spot.label, *(round(edge, 4) for edge in spot.box)] for spot in board["spots"]
    ]
    if actor is not None:
        board |= _choices(game, state, actor, pointing, drawn_by_hand=own is not None)
    return board


def _choices(
    game: games.Game, state: Any, actor: int, pointing: Pointing | None, *, drawn_by_hand: bool
) -> dict[str, Any]:
    """Return the actor's actions: those by pointing, and all of them by name."""
    if pointing is not None:
        ways: Sequence[Any] = pointing.ways(state, actor)
    else:
        ways = [] if drawn_by_hand else grid_ways(game, state, actor)
    parts = game.action_parts
    legal = games.legal_actions_of(state, actor).tolist()
    listed = legal[: parts[0]] if parts is not None else legal[:MOST_ACTIONS]
    return {
        "ways": [list(way) for way in ways],
        "legal": [[action, name_of(state, action)] for action in listed],
        "parts": None if parts is None else list(parts),
    }


def paths_of(game: games.Game, state: Any, player: int) -> dict[int, tuple[str, ...]]:
    """Where each action of a player is pointed at."""
    pointing = pointing_of(game)
    if pointing is not None:
        ways: Sequence[Any] = pointing.ways(state, player)
    elif hasattr(state, "svg"):
        return {}
    else:
        ways = grid_ways(game, state, player)
    found: dict[int, tuple[str, ...]] = {}
    for way in ways:
        found.setdefault(way.action, way.path)
    return found
