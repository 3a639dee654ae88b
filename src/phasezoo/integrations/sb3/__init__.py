"""Stable-Baselines3: native vectors as its ``VecEnv``, features of planes, policies."""

from importlib.util import find_spec

from phasezoo._torch import require_torch
from phasezoo.errors import MissingDependency

if find_spec("stable_baselines3") is None or find_spec("sb3_contrib") is None:
    _need = "phasezoo.integrations.sb3 needs Stable-Baselines3 and its contrib package"
    raise MissingDependency.of_extra(need=_need, extra="sb3")
require_torch()

from phasezoo.integrations.sb3.features import LinesExtractor, PlanesExtractor  # noqa: E402
from phasezoo.integrations.sb3.gated_policy import PhaseGatedPolicy  # noqa: E402
from phasezoo.integrations.sb3.turned_policy import TurnedPolicy  # noqa: E402
from phasezoo.integrations.sb3.vec_env import (  # noqa: E402
    GameVecEnv,
    SB3Learner,
    make_vec_env,
)

__all__ = [
    "GameVecEnv",
    "LinesExtractor",
    "PhaseGatedPolicy",
    "PlanesExtractor",
    "SB3Learner",
    "TurnedPolicy",
    "make_vec_env",
]
