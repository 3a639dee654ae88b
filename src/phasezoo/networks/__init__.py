"""Networks with a policy and a value head, made by name: ``networks.make("rise-32x4")``."""

from phasezoo._torch import require_torch

require_torch()

from phasezoo.networks.checker import check  # noqa: E402  torch comes first
from phasezoo.networks.compiling import (  # noqa: E402
    autocast,
    compiled,
    layout_of,
)
from phasezoo.networks.making import (  # noqa: E402
    NetworkSize,
    conditioned,
    count,
    fits_boards,
    fix_phase,
    from_description,
    make,
    spec_of,
)
from phasezoo.networks.making import describe as describe  # noqa: E402
from phasezoo.networks.making import description_of as description_of  # noqa: E402
from phasezoo.networks.making import told as told  # noqa: E402
from phasezoo.networks.network import BodyAndHeads, Network, parameter_counts  # noqa: E402
from phasezoo.networks.output import NetworkOutput  # noqa: E402
from phasezoo.networks.phase_input import ConditionedNetwork, PhaseInput  # noqa: E402
from phasezoo.networks.precision import resolve_device, supported_dtype, to_device, to_host  # noqa: E402
from phasezoo.networks.registry import names, register  # noqa: E402
from phasezoo.networks.specs import GRAMMAR, NetworkSpec  # noqa: E402
from phasezoo.networks.unpacking import Unpack  # noqa: E402

__all__ = [
    "GRAMMAR",
    "BodyAndHeads",
    "ConditionedNetwork",
    "Network",
    "NetworkOutput",
    "NetworkSize",
    "NetworkSpec",
    "PhaseInput",
    "Unpack",
    "autocast",
    "check",
    "compiled",
    "conditioned",
    "count",
    "fits_boards",
    "fix_phase",
    "from_description",
    "layout_of",
    "make",
    "names",
    "parameter_counts",
    "register",
    "resolve_device",
    "spec_of",
    "supported_dtype",
    "to_device",
    "to_host",
]
