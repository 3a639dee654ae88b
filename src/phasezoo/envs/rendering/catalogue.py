"""Which rooms have pictures: the only file of drawing that names games."""

from collections.abc import Mapping

from phasezoo import _core
from phasezoo.envs.rendering.painters import Painter
from phasezoo.zoo.boards import pictures as boards
from phasezoo.zoo.connect_four import pictures as connect_four
from phasezoo.zoo.pommerman import pictures as pommerman

__all__ = ["PAINTERS"]

PAINTERS: Mapping[type, Painter] = {
    _core.BoardState: boards.PAINTER,
    _core.ConnectFourState: connect_four.PAINTER,
    _core.PommermanState: pommerman.PAINTER,
}
"""Who draws a game, by the type of its states."""
