"""Environments: any game for Gymnasium and PettingZoo, one at a time or many in native code."""

from phasezoo.envs import chess_v0
from phasezoo.envs.aec_env import AECGameEnv
from phasezoo.envs.chess_env import ChessEnv
from phasezoo.envs.gym_env import GymEnv
from phasezoo.envs.parallel_env import ParallelGameEnv
from phasezoo.envs.vector_env import BoardVectorEnv, ChessVectorEnv

__all__ = [
    "AECGameEnv",
    "BoardVectorEnv",
    "ChessEnv",
    "ChessVectorEnv",
    "GymEnv",
    "ParallelGameEnv",
    "chess_v0",
]
