"""Chess as a PettingZoo environment.

```python
from phasezoo.envs import chess_v0

env = chess_v0.env(planes="v1")
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
```

Actions, planes and endings are those of :class:`phasezoo.envs.ChessEnv`, infos too, as plain
values: the state comes by ``env.unwrapped.game_state``, or in infos with ``state_in_info=True``.
``player_0`` is White.
"""

from typing import Unpack

from phasezoo.envs.aec_env import AECGameEnv, with_order_check
from phasezoo.envs.options import PettingZooOptions
from phasezoo.games.options import flag

__all__ = ["env", "raw_env"]


class raw_env(AECGameEnv):  # noqa: N801 - PettingZoo's name for it
    """Chess without wrappers.

    Args:
        chess960: Whether games start from one of the 960 arrays, and castle by their rules.
        options: Those of :class:`phasezoo.envs.AECGameEnv`.
    """

    metadata = AECGameEnv.metadata | {"name": "chess_v0"}

    def __init__(self, *, chess960: bool = False, **options: Unpack[PettingZooOptions]) -> None:
        super().__init__("chess960" if flag("chess960", chess960) else "chess", **options)


env = with_order_check(raw_env)
