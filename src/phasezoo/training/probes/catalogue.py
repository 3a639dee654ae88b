"""Probes from the rooms: the only file of this folder that names rooms."""

from collections.abc import Callable

from phasezoo.games import Game
from phasezoo.training.probes.moves import Everywhere
from phasezoo.training.probes.probe import Probe
from phasezoo.training.solved import SolvedPositions
from phasezoo.zoo.boards.probes import board_probes
from phasezoo.zoo.connect_four.probes import connect_four_probes
from phasezoo.zoo.krk.probes import krk_probes
from phasezoo.zoo.krk.solved import krk_positions

ALL_POSITIONS: dict[str, Callable[[], SolvedPositions]] = {"krk": krk_positions}
"""Functions that make every position of a game; other games have too many."""

_PROBES: dict[str, Callable[[Game, int], list[Probe]]] = {
    "connect-four": connect_four_probes,
    "krk": krk_probes,
    "chess": board_probes,
    "chess960": board_probes,
    "atomic": board_probes,
    "crazyhouse": board_probes,
}
"""Functions that make a game's probes from the game and the number of positions."""


def probes_of(game: Game, positions: int, *, everywhere: bool = False) -> list[Probe]:
    """Return the probes of a game; none if it has none, or if a package is missing.

    Args:
        game: The game.
        positions: Number of positions that are drawn.
        everywhere: If set, a game whose positions are all known is probed in them too.
    """
    make = _PROBES.get(game.name)
    found = [] if make is None else make(game, positions)
    if everywhere and game.name in ALL_POSITIONS:
        exact = Everywhere(ALL_POSITIONS[game.name])
        found.append(Probe(exact, *exact.scores))
    return found
