"""The vector environments of the package's board games, as they are registered."""

from collections.abc import Sequence
from typing import Any

from phasezoo.envs.krk_env import krk_game
from phasezoo.envs.vector_env import GameVectorEnv

__all__ = ["AtomicChessVectorEnv", "ChessVectorEnv", "CrazyhouseVectorEnv", "KRKVectorEnv"]


class ChessVectorEnv(GameVectorEnv):
    """Many games of chess, or of chess960, stepped in native code.

    Actions, planes, endings and options are those of :class:`phasezoo.envs.ChessEnv`; what is
    special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.

    ```python
    import gymnasium as gym
    envs = gym.make_vec("phasezoo:Chess-v0", num_envs=256, opponent=None)
    ```
    """

    def __init__(self, num_envs: int = 1, *, chess960: bool = False, **options: Any) -> None:
        super().__init__(num_envs, "chess960" if chess960 else "chess", **options)


class AtomicChessVectorEnv(GameVectorEnv):
    """Many games of atomic chess stepped in native code: :class:`phasezoo.envs.AtomicChessEnv`.

    What is special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.
    """

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        super().__init__(num_envs, "atomic", **options)


class CrazyhouseVectorEnv(GameVectorEnv):
    """Many games of crazyhouse stepped in native code: :class:`phasezoo.envs.CrazyhouseEnv`.

    What is special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.
    """

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        super().__init__(num_envs, "crazyhouse", **options)


class KRKVectorEnv(GameVectorEnv):
    """Many games of the endgame stepped in native code: :class:`phasezoo.envs.KRKEnv`.

    The table's opponent runs natively too. Infos have no ``dtm``: ``envs.states[i].dtm`` tells it.
    What is special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        start: str = "fixed",
        dtm: Sequence[int] | None = None,
        opponent: Any = "tablebase",
        agent_color: int | str = "white",
        **options: Any,
    ) -> None:
        game = krk_game(start, dtm, opponent, agent_color)
        super().__init__(num_envs, game, opponent=opponent, agent_color=agent_color, **options)
