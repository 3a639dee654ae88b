"""Ray: learning by play on many machines."""

from importlib.util import find_spec

from phasezoo._torch import require_torch
from phasezoo.errors import MissingDependency

if find_spec("ray") is None:
    raise MissingDependency.of_extra(need="phasezoo.integrations.ray needs Ray", extra="ray")
require_torch()

from phasezoo.integrations.ray.actors import Actors  # noqa: E402
from phasezoo.integrations.ray.loop import RaySelfPlay  # noqa: E402

__all__ = ["Actors", "RaySelfPlay"]
