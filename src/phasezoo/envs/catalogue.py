"""Which rooms have environments: the only file of this layer that names them, with ``*_v0``."""

from phasezoo.envs import (
    atomic_chess_v0,
    chess_v0,
    connect_four_v0,
    crazyhouse_v0,
    krk_v0,
    pommerman_v0,
)
from phasezoo.zoo.boards.env import (
    AtomicChessEnv,
    AtomicChessVectorEnv,
    ChessEnv,
    ChessVectorEnv,
    CrazyhouseEnv,
    CrazyhouseVectorEnv,
)
from phasezoo.zoo.connect_four.env import ConnectFourEnv, ConnectFourVectorEnv
from phasezoo.zoo.krk.env import KRKEnv, KRKVectorEnv
from phasezoo.zoo.pommerman.env import PommermanEnv, PommermanVectorEnv

__all__ = [
    "AtomicChessEnv",
    "AtomicChessVectorEnv",
    "ChessEnv",
    "ChessVectorEnv",
    "ConnectFourEnv",
    "ConnectFourVectorEnv",
    "CrazyhouseEnv",
    "CrazyhouseVectorEnv",
    "KRKEnv",
    "KRKVectorEnv",
    "PommermanEnv",
    "PommermanVectorEnv",
    "atomic_chess_v0",
    "chess_v0",
    "connect_four_v0",
    "crazyhouse_v0",
    "krk_v0",
    "pommerman_v0",
]
