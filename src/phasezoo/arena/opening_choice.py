"""Openings for matches of networks that have learned from stored games."""

from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.arena.opening_files import Opening
from phasezoo.arena.openings import OpeningSuite, draws_starts, random_openings
from phasezoo.errors import InvalidConfig

_LEAST = 10
"""Openings that are left, or all of them are kept."""

_MOST_PLIES = 8
"""Plies of a random opening, at the most."""


def unseen_openings(
    game: str,
    keys: npt.NDArray[np.uint64],
    wanted: int,
    seed: int,
    suite: OpeningSuite | None = None,
) -> tuple[OpeningSuite, int]:
    """Return a game's openings without those that end at given positions, and how many these were.

    If fewer than ten would be left, as in a game whose openings are few and short, all are kept.
    A game that has no openings and always starts alike gets random ones, as short as so many of
    them can be, if more than one is wanted. If starts are drawn, the start alone is the only
    opening.

    Args:
        game: Name of the game.
        keys: Keys of the positions, such as those of games that were trained on.
        wanted: Number of random openings.
        seed: Draws them.
        suite: The openings; default the game's usual ones.
    """
    suite = OpeningSuite.load(game) if suite is None else suite
    if len(suite) == 1:
        if wanted == 1 or draws_starts(game):
            return suite, 0
        suite = _random(games.make(game), wanted, seed) or suite
    try:
        left, dropped = suite.without(keys)
    except InvalidConfig:
        return suite, 0
    return (suite, 0) if len(left) < min(_LEAST, len(suite)) else (left, dropped)


def _random(game: games.Game, wanted: int, seed: int) -> OpeningSuite | None:
    """Openings of random moves with different last positions; None if the first move ends games."""
    rng = np.random.default_rng(seed)
    most: list[Opening] = []
    for plies in range(1, _MOST_PLIES + 1):
        found = random_openings(game, plies, plies, wanted, rng)
        most = max(most, found, key=len)
        if len(found) == wanted:
            break
    return OpeningSuite.of(game.name, most) if most else None


_MOST_STARTS = 500
"""Positions at which games first reach a phase, at the most."""


def openings_at_phase(
    played: Any,
    gate: str,
    phase: str,
    *,
    game: str,
    keys: npt.NDArray[np.uint64],
    max_plies: int | None,
) -> tuple[OpeningSuite | None, int]:
    """Return where games first reach a phase, without positions that are known.

    Positions at which a game would end at once, because no more plies are played, are left out too.

    Args:
        played: Games store.
        gate: Gate of the phase.
        phase: Name of the phase.
        game: Name of the game.
        keys: Keys of positions to leave out, such as those that were trained on.
        max_plies: Plies at which games are cut; None: never.

    Returns:
        The openings, None if fewer than two are left, as if games begin with the phase; and the
        number of those that were left out because no more plies are played.
    """
    try:
        suite = OpeningSuite.at_phase(played, gate, phase, game=game, count=_MOST_STARTS)
        suite, _ = suite.without(keys)
    except InvalidConfig:  # no game gets there, or all such positions are known
        return None, 0
    kept = [
        Opening(suite.start(i), suite.lines[i])
        for i in range(len(suite))
        if max_plies is None or suite.state(i).ply < max_plies
    ]
    left = OpeningSuite.of(suite.game, kept) if len(kept) > 1 else None
    return left, len(suite) - len(kept)
