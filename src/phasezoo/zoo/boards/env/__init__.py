"""The environments of the board games."""

from phasezoo.zoo.boards.env.atomic import AtomicChessEnv
from phasezoo.zoo.boards.env.chess import ChessEnv
from phasezoo.zoo.boards.env.crazyhouse import CrazyhouseEnv
from phasezoo.zoo.boards.env.vectors import (
    AtomicChessVectorEnv,
    ChessVectorEnv,
    CrazyhouseVectorEnv,
)

__all__ = [
    "AtomicChessEnv",
    "AtomicChessVectorEnv",
    "ChessEnv",
    "ChessVectorEnv",
    "CrazyhouseEnv",
    "CrazyhouseVectorEnv",
]
