"""King and rook against king as a PettingZoo environment.

```python
from phasezoo.envs import krk_v0

env = krk_v0.env()
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
```

Actions, planes and endings are those of :class:`phasezoo.envs.KRKEnv`, infos too, as plain values:
the state comes by ``env.unwrapped.game_state``, or in infos with ``state_in_info=True``.
``player_0`` is White, who has the rook. An agent's ``dtm_difference`` is that of its own last move.
Where :class:`phasezoo.envs.KRKEnv` has None for ``dtm`` or ``dtm_difference``, infos have -1000.0
(``phasezoo.observation.UNKNOWN``).
"""

from collections.abc import Sequence
from typing import Unpack

from phasezoo import games
from phasezoo.envs.aec_env import AECGameEnv, with_order_check
from phasezoo.envs.options import PettingZooOptions

__all__ = ["env", "raw_env"]


class raw_env(AECGameEnv):  # noqa: N801 - PettingZoo's name for it
    """King and rook against king without wrappers.

    Args:
        start: Where games start, as in :class:`phasezoo.envs.KRKEnv`.
        dtm: Moves to mate of drawn starts, ``(low, high)``.
        options: Those of :class:`phasezoo.envs.AECGameEnv`.
    """

    metadata = AECGameEnv.metadata | {"name": "krk_v0"}

    def __init__(
        self,
        *,
        start: str = "fixed",
        dtm: Sequence[int] | None = None,
        **options: Unpack[PettingZooOptions],
    ) -> None:
        super().__init__(games.make("krk", start=start, dtm=dtm), **options)


env = with_order_check(raw_env)
