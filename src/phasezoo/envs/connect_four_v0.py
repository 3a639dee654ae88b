"""Connect Four as a PettingZoo environment.

```python
from phasezoo.envs import connect_four_v0

env = connect_four_v0.env()
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
```

Actions, planes, endings and infos are those of :class:`phasezoo.envs.ConnectFourEnv`;
``player_0`` moves first.
"""

from typing import Any

from pettingzoo.utils import wrappers

from phasezoo.envs.aec_env import AECGameEnv

__all__ = ["env", "raw_env"]


class raw_env(AECGameEnv):  # noqa: N801 - PettingZoo's name for it
    """Connect Four without wrappers.

    Args:
        options: Those of :class:`phasezoo.envs.AECGameEnv`.
    """

    metadata = AECGameEnv.metadata | {"name": "connect_four_v0"}

    def __init__(self, **options: Any) -> None:
        super().__init__("connect-four", **options)


def env(**options: Any) -> wrappers.OrderEnforcingWrapper:
    """Connect Four with the check that calls come in order.

    Args:
        options: Those of :class:`raw_env`.
    """
    return wrappers.OrderEnforcingWrapper(raw_env(**options))
