"""Settings of training a gate."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Interval

from phasezoo.errors import InvalidConfig
from phasezoo.specs import NonNegativeFloat, PositiveFloat, changed, check

_NETWORK = re.compile(r"mlp-([0-9]{1,4})x([0-9])")


@dataclass(frozen=True)
class GateConfig:
    """Settings of training a gate by AdamW (Loshchilov and Hutter, 2019), with a falling rate.

    Raises:
        InvalidConfig: A value is outside its range; the message names the field.
    """

    epochs: Annotated[int, Interval(ge=1, le=10_000)] = 20
    """Number of times that each training position is seen."""
    batch_size: Annotated[int, Interval(ge=1, le=65_536)] = 128
    """Number of positions of an update."""
    learning_rate: PositiveFloat = 2e-3
    """Learning rate at the beginning; it falls to 0 along half a cosine."""
    weight_decay: NonNegativeFloat = 1e-2
    """Weight decay."""
    balance: NonNegativeFloat = 0.0
    """With experts: weight of the cost of an uneven load. The cost is K times the sum over the K
    experts of the share of a batch's positions that an expert is the likeliest for, times its mean
    probability (Fedus et al. 2022, equations 4 to 6): 1 if the load is even."""

    def __post_init__(self) -> None:
        check(self)


def gate_config(options: Mapping[str, Any]) -> GateConfig:
    """Check the options of a call."""
    return changed(GateConfig(), options, "training a gate")


def hidden_layers(network: str) -> tuple[int, ...]:
    """Return the units of each hidden layer of ``mlp-64x1``."""
    match = _NETWORK.fullmatch(network) if isinstance(network, str) else None
    if match is None or not 1 <= int(match[1]) <= 4096:
        message = (
            f"network={network!r}: gates are mlp-WIDTHxLAYERS, WIDTH from 1 to 4096 and LAYERS "
            "from 0 to 9, such as mlp-64x1"
        )
        raise InvalidConfig(message)
    return (int(match[1]),) * int(match[2])
