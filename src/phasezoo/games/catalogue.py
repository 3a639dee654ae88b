"""Which rooms have games: the only file of this layer that names them."""

from phasezoo.games.base import Game
from phasezoo.zoo.boards.game import ATOMIC, CHESS, CHESS960, CRAZYHOUSE
from phasezoo.zoo.connect_four.game import CONNECT_FOUR
from phasezoo.zoo.krk.game import KRK
from phasezoo.zoo.pommerman.game import POMMERMAN
from phasezoo.zoo.pommerman.observation import pommerman_observation

__all__ = ["GAMES", "pommerman_observation"]

GAMES: tuple[Game, ...] = (
    ATOMIC,
    CHESS,
    CHESS960,
    CONNECT_FOUR,
    CRAZYHOUSE,
    KRK,
    *POMMERMAN,
)
"""The games of the package."""
