"""Networks with a policy and a value head, made by name: ``networks.make("rise-32x4")``."""

from phasezoo._torch import require_torch

require_torch()

from phasezoo.networks.factory import GRAMMAR, Architecture, make  # noqa: E402  torch comes first
from phasezoo.networks.heads import NetworkOutput  # noqa: E402
from phasezoo.networks.network import Network, parameter_counts  # noqa: E402
from phasezoo.networks.precision import resolve_device, supported_dtype  # noqa: E402

__all__ = [
    "GRAMMAR",
    "Architecture",
    "Network",
    "NetworkOutput",
    "make",
    "parameter_counts",
    "resolve_device",
    "supported_dtype",
]
