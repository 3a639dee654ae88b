"""Pommerman as PettingZoo environments.

```python
from phasezoo.envs import pommerman_v0

env = pommerman_v0.parallel_env(mode="team")
observations, infos = env.reset(seed=7)
while env.agents:
    actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    observations, rewards, terminations, truncations, infos = env.step(actions)
```

Actions, planes and endings are those of :class:`phasezoo.envs.PommermanEnv`, infos too, as plain
values: the state comes by ``env.unwrapped.game_state``. ``player_0`` to ``player_3`` start top
left, bottom left, bottom right, top right. :func:`env` asks the players one after the other, each
seeing the state before any of them has moved.
"""

from typing import Any, Unpack

from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from phasezoo.envs.aec_env import with_order_check
from phasezoo.envs.options import ParallelOptions
from phasezoo.envs.parallel_env import ParallelGameEnv
from phasezoo.errors import IllegalAction
from phasezoo.zoo.pommerman.env import pommerman_game

__all__ = ["env", "parallel_env", "raw_env"]


class parallel_env(ParallelGameEnv):  # noqa: N801 - PettingZoo's name for it
    """Pommerman, everybody giving an action at every step.

    In ``ffa`` and ``1v1`` a player leaves at their death with -1; in teams the dead stay until the
    end, their masks showing stop alone. With ``rewards="original"`` everybody stays and is paid at
    every step as the original pays.

    Args:
        mode: ``"ffa"``, ``"team"``, ``"radio"`` or ``"1v1"``.
        fog: Whether players see four cells far; None: as the mode has it (``radio`` alone has fog).
        collapse: Whether the board shrinks from step 500 on.
        options: Those of :class:`phasezoo.envs.ParallelGameEnv`.

    Raises:
        InvalidConfig: An option is outside its range.
    """

    metadata = ParallelGameEnv.metadata | {"name": "pommerman_v0"}

    def __init__(
        self,
        *,
        mode: str = "ffa",
        fog: bool | None = None,
        collapse: bool = False,
        **options: Unpack[ParallelOptions],
    ) -> None:
        super().__init__(pommerman_game(mode, fog=fog, collapse=collapse), **options)


class raw_env(parallel_to_aec_wrapper):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name
    """Pommerman for PettingZoo's AEC interface, without wrappers.

    Args:
        options: Those of :class:`parallel_env`.
    """

    metadata = parallel_env.metadata

    def __init__(self, **options: Any) -> None:
        super().__init__(parallel_env(**options))

    def step(self, action: Any) -> None:
        """Take the action of ``agent_selection``; all are played when the last one has acted.

        Args:
            action: None for an agent whose game is over.

        Raises:
            IllegalAction: An agent whose game is over sends one.
        """
        agent = self.agent_selection
        if action is not None and (self.terminations[agent] or self.truncations[agent]):
            message = (
                f"action {action!r}: the game is over for {agent}, who leaves by step(None); "
                "parallel_env() takes no turns of the dead"
            )
            raise IllegalAction(message)
        super().step(action)


env = with_order_check(raw_env)
