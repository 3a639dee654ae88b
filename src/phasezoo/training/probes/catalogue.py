"""Which rooms bring probes of their own: the only file of this folder that names them."""

from collections.abc import Callable

from phasezoo.games import Game
from phasezoo.training.probes.probe import Probe
from phasezoo.zoo.boards.probes import board_probes
from phasezoo.zoo.connect_four.probes import connect_four_probes
from phasezoo.zoo.krk.probes import krk_probes

__all__ = ["probes_of"]

_PROBES: dict[str, Callable[[Game, int], list[Probe]]] = {
    "connect-four": connect_four_probes,
    "krk": krk_probes,
    "chess": board_probes,
    "chess960": board_probes,
    "atomic": board_probes,
    "crazyhouse": board_probes,
}
"""What makes a game's probes from the game and the number of positions."""


def probes_of(game: Game, positions: int) -> list[Probe]:
    """The probes of a game; none if it has none, or if what they need is not installed."""
    make = _PROBES.get(game.name)
    return [] if make is None else make(game, positions)
