"""Environments: any game for Gymnasium and PettingZoo, one at a time or many in native code."""

from phasezoo.envs import atomic_chess_v0, chess_v0, crazyhouse_v0, krk_v0, pommerman_v0
from phasezoo.envs.aec_env import AECGameEnv
from phasezoo.envs.atomic_chess_env import AtomicChessEnv
from phasezoo.envs.board_vectors import (
    AtomicChessVectorEnv,
    ChessVectorEnv,
    CrazyhouseVectorEnv,
    KRKVectorEnv,
)
from phasezoo.envs.chess_env import ChessEnv
from phasezoo.envs.crazyhouse_env import CrazyhouseEnv
from phasezoo.envs.gym_env import GymEnv
from phasezoo.envs.krk_env import KRKEnv
from phasezoo.envs.parallel_env import ParallelGameEnv
from phasezoo.envs.pommerman_env import PommermanEnv, PommermanVectorEnv
from phasezoo.envs.vector_env import GameVectorEnv

__all__ = [
    "AECGameEnv",
    "AtomicChessEnv",
    "AtomicChessVectorEnv",
    "ChessEnv",
    "ChessVectorEnv",
    "CrazyhouseEnv",
    "CrazyhouseVectorEnv",
    "GameVectorEnv",
    "GymEnv",
    "KRKEnv",
    "KRKVectorEnv",
    "ParallelGameEnv",
    "PommermanEnv",
    "PommermanVectorEnv",
    "atomic_chess_v0",
    "chess_v0",
    "crazyhouse_v0",
    "krk_v0",
    "pommerman_v0",
]
