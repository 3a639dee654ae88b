"""The openings of a comparison's matches, none of which networks have seen if that can be."""

from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.arena import OpeningSuite
from phasezoo.arena.opening_files import Opening
from phasezoo.errors import InvalidConfig
from phasezoo.games import contracts, queries
from phasezoo.games.random_play import random_action

__all__ = ["draws_starts", "openings_of"]

LEAST = 10
"""Openings that are left, or all of them are kept."""

_PROBED = 8
"""Seeds whose starts are compared in a game of one's own."""

_MOST_PLIES = 8
"""Plies of a random opening, at the most."""

_TRIES = 20
"""Random openings that are tried for each that is wanted."""


def openings_of(
    game: str, keys: npt.NDArray[np.uint64], wanted: int, seed: int
) -> tuple[OpeningSuite, int]:
    """The openings, without those whose last position occurs in the games, and how many these were.

    Where fewer than ten would be left, as in a game whose openings are few and short, all are kept.
    A game that has no openings and always starts alike gets random ones, as short as so many of
    them can be, if more than one is wanted. Where starts are drawn, the start alone is the only
    opening.

    Args:
        game: The game's name.
        keys: Keys of all positions of the games.
        wanted: Openings that are asked for.
        seed: Draws random ones.
    """
    suite = OpeningSuite.load(game)
    if len(suite) == 1:
        if wanted == 1 or draws_starts(game):
            return suite, 0
        suite = _random(games.make(game), wanted, seed) or suite
    try:
        left, dropped = suite.without(keys)
    except InvalidConfig:
        return suite, 0
    return (suite, 0) if len(left) < min(LEAST, len(suite)) else (left, dropped)


def draws_starts(game: str) -> bool:
    """Whether the starts of a game differ from seed to seed."""
    made = games.make(game)
    if made.native:
        return made.takes_seed and made.draws_start(made.options)
    # A user's own game does not say so.
    starts = [made.initial_state(seed=seed) for seed in range(_PROBED)]
    return len({getattr(start, "key", None) for start in starts}) > 1


def _random(game: games.Game, wanted: int, seed: int) -> OpeningSuite | None:
    """Openings of random moves with different last positions; None if the first move ends games."""
    rng = np.random.default_rng(seed)
    most: dict[Any, Opening] = {}
    for plies in range(1, _MOST_PLIES + 1):
        found: dict[Any, Opening] = {}
        for _ in range(_TRIES * wanted):
            line = _line(game, plies, rng)
            if line is not None:
                found.setdefault(*line)
            if len(found) == wanted:
                return OpeningSuite.of(game.name, found.values())
        most = max(most, found, key=len)
    return OpeningSuite.of(game.name, most.values()) if most else None


def _line(game: games.Game, plies: int, rng: np.random.Generator) -> tuple[Any, Opening] | None:
    """Random moves, with the key of the position after them; None if the game is over there."""
    state: Any = game.initial_state()
    moves = []
    for _ in range(plies):
        action = random_action(state, rng)
        moves.append(queries.move_text(state, action))
        state = contracts.played(state, action)
        if state.is_terminal:
            return None
    return state.key, Opening(None, tuple(moves))
