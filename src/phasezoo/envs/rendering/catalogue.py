"""Which rooms have pictures, and how these are played on: drawing names games here alone."""

from collections.abc import Mapping

from phasezoo import _core
from phasezoo.envs.rendering.painters import Painter
from phasezoo.envs.rendering.pointing import Pointing
from phasezoo.zoo.boards import board as boards_board, pictures as boards
from phasezoo.zoo.connect_four import board as connect_four_board, pictures as connect_four
from phasezoo.zoo.pommerman import board as pommerman_board, pictures as pommerman

PAINTERS: Mapping[type, Painter] = {
    _core.BoardState: boards.PAINTER,
    _core.ConnectFourState: connect_four.PAINTER,
    _core.PommermanState: pommerman.PAINTER,
}
"""Who draws a game, by the type of its states."""

POINTINGS: Mapping[type, Pointing] = {
    _core.BoardState: boards_board.BOARD,
    _core.ConnectFourState: connect_four_board.BOARD,
    _core.PommermanState: pommerman_board.BOARD,
}
"""How pictures of a game are played on, by the type of its states."""
