"""Environments: any game for Gymnasium and PettingZoo, one at a time or many in native code."""

from typing import TYPE_CHECKING, Any

from phasezoo.envs.aec_env import AECGameEnv
from phasezoo.envs.gym_env import GymEnv
from phasezoo.envs.parallel_env import ParallelGameEnv
from phasezoo.envs.vector_env import GameVectorEnv

if TYPE_CHECKING:
    from phasezoo.envs import (
        atomic_chess_v0,
        chess_v0,
        connect_four_v0,
        crazyhouse_v0,
        krk_v0,
        pommerman_v0,
    )
    from phasezoo.envs.catalogue import (
        AtomicChessEnv,
        AtomicChessVectorEnv,
        ChessEnv,
        ChessVectorEnv,
        ConnectFourEnv,
        ConnectFourVectorEnv,
        CrazyhouseEnv,
        CrazyhouseVectorEnv,
        KRKEnv,
        KRKVectorEnv,
        PommermanEnv,
        PommermanVectorEnv,
    )

__all__ = [
    "AECGameEnv",
    "AtomicChessEnv",
    "AtomicChessVectorEnv",
    "ChessEnv",
    "ChessVectorEnv",
    "ConnectFourEnv",
    "ConnectFourVectorEnv",
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
    "connect_four_v0",
    "crazyhouse_v0",
    "krk_v0",
    "pommerman_v0",
]


def __getattr__(name: str) -> Any:
    """Load the environments of games on demand: games import files of this package."""
    from importlib import import_module

    if name in __all__:
        return getattr(import_module("phasezoo.envs.catalogue"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
