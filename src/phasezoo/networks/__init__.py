"""Networks with a policy and a value head, made by name: ``networks.make("rise-32x4")``."""

from phasezoo._torch import require_torch

require_torch()

from phasezoo.networks.checker import check  # noqa: E402  torch comes first
from phasezoo.networks.compiling import (  # noqa: E402
    autocast as autocast,
    compiled as compiled,
    layout_of as layout_of,
)
from phasezoo.networks.conditioned import ConditionedNetwork as ConditionedNetwork  # noqa: E402
from phasezoo.networks.making import (  # noqa: E402
    conditioned as conditioned,
    count,
    describe as describe,
    description_of as description_of,
    fits_boards as fits_boards,
    fix_phase,
    make,
    scaled,
    spec_of,
    told as told,
)
from phasezoo.networks.network import BodyAndHeads as BodyAndHeads, Network, parameter_counts  # noqa: E402
from phasezoo.networks.output import NetworkOutput  # noqa: E402
from phasezoo.networks.precision import (  # noqa: E402
    resolve_device as resolve_device,
    supported_dtype as supported_dtype,
    to_device as to_device,
    to_host as to_host,
)
from phasezoo.networks.registry import names, register  # noqa: E402
from phasezoo.networks.specs import GRAMMAR as GRAMMAR, NetworkSpec as NetworkSpec  # noqa: E402
from phasezoo.networks.unpacking import Unpack as Unpack  # noqa: E402
from phasezoo.types import PhaseInput as PhaseInput  # noqa: E402

__all__ = [
    "Network",
    "NetworkOutput",
    "check",
    "count",
    "fix_phase",
    "make",
    "names",
    "parameter_counts",
    "register",
    "scaled",
    "spec_of",
]
