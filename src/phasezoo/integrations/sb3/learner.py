"""A learner of generalisation: models of Stable-Baselines3."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasezoo import agents
from phasezoo.integrations.sb3.vec_env import make_vec_env


@dataclass(frozen=True)
class SB3Learner:
    """A model of Stable-Baselines3, or of its contributions, from the options of an environment.

    A learner of :func:`phasezoo.experiments.generalise`. The training data are the environment's id
    with its options, ``("KRK-v0", {"start": "dtm", "dtm": (1, 4)})``.
    """

    algorithm: Any
    """The class, such as ``sb3_contrib.MaskablePPO``."""
    steps: int
    """Steps of the environments."""
    n_envs: int = 8
    """Environments at once."""
    policy: Any = "MlpPolicy"
    """The policy."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the algorithm."""

    def __call__(
        self, data: tuple[str, Mapping[str, Any]], seed: int, out: Path
    ) -> agents.SB3Agent:
        """Train, or load what is finished; answers with an agent."""
        path = out.with_suffix(".zip")
        if not path.exists():
            name, options = data
            env = make_vec_env(name, self.n_envs, seed=seed % 2**31, **options)
            model = self.algorithm(self.policy, env, seed=seed % 2**31, **self.options)
            model.learn(self.steps)
            model.save(path)
        return agents.SB3Agent(path)
