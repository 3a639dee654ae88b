"""Many board games stepped together, as they are registered."""

from typing import Unpack

from phasezoo.envs.options import VectorOptions
from phasezoo.envs.vector_env import GameVectorEnv
from phasezoo.games.options import flag


class ChessVectorEnv(GameVectorEnv):
    """Many games of chess, or of chess960, stepped in native code.

    Actions, planes, endings and options are those of :class:`phasezoo.envs.ChessEnv`; what is
    special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.

    ```python
    import gymnasium as gym
    envs = gym.make_vec("phasezoo:Chess-v0", num_envs=256, opponent=None)
    ```
    """

    def __init__(
        self, num_envs: int = 1, *, chess960: bool = False, **options: Unpack[VectorOptions]
    ) -> None:
        super().__init__(num_envs, "chess960" if flag("chess960", chess960) else "chess", **options)


class AtomicChessVectorEnv(GameVectorEnv):
    """Many games of atomic chess stepped in native code: :class:`phasezoo.envs.AtomicChessEnv`.

    What is special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.
    """

    def __init__(self, num_envs: int = 1, **options: Unpack[VectorOptions]) -> None:
        super().__init__(num_envs, "atomic", **options)


class CrazyhouseVectorEnv(GameVectorEnv):
    """Many games of crazyhouse stepped in native code: :class:`phasezoo.envs.CrazyhouseEnv`.

    What is special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.
    """

    def __init__(self, num_envs: int = 1, **options: Unpack[VectorOptions]) -> None:
        super().__init__(num_envs, "crazyhouse", **options)
