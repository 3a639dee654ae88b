"""The environments of the board games."""

from phasezoo.zoo.boards.env.atomic import AtomicChessEnv, AtomicChessVectorEnv
from phasezoo.zoo.boards.env.chess import ChessEnv, ChessVectorEnv
from phasezoo.zoo.boards.env.crazyhouse import CrazyhouseEnv, CrazyhouseVectorEnv

__all__ = [
    "AtomicChessEnv",
    "AtomicChessVectorEnv",
    "ChessEnv",
    "ChessVectorEnv",
    "CrazyhouseEnv",
    "CrazyhouseVectorEnv",
]
