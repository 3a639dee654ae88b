"""The heads that read a body, as a network's text chooses them."""

from typing import Annotated, Literal, TypeAlias, TypedDict

from annotated_types import Interval
from torch import nn

from phasezoo.errors import InvalidConfig
from phasezoo.networks.blocks import Activation
from phasezoo.networks.policy_heads import (
    DensePolicyHead,
    FactorisedPolicyHead,
    FlatPolicyHead,
    PolicyHead,
)
from phasezoo.networks.value_heads import ValueHead, ValueKind, VectorValueHead

POOLED_CHANNELS = 32
"""Channels of a value head that is pooled over the board (Wu 2019, KataGo's smaller networks)."""

VALUE_UNITS = 256
"""Hidden units of a value head without win, draw and loss (Silver et al. 2017)."""

RANK = 8
"""Rank of a factorised policy."""

MapPolicy: TypeAlias = Literal["auto", "planes", "pointwise", "flat", "dense"]
"""Planes of moves by 3x3 convolutions or, cheaper, by 1x1; or read by a layer that is fully
connected, from 16 channels or from 2. Auto: planes if the actions are a multiple of height times
width, else flat."""

VectorPolicy: TypeAlias = Literal["auto", "flat", "factorised"]
"""Read by a layer that is fully connected, or planes of moves as a matrix of low rank. Auto:
factorised if the actions are a multiple of height times width, else flat."""

Pool: TypeAlias = Literal["none", "global"]
"""Whether the heads read the board square by square, or its mean and its maximum: then the weights
fit boards of any size."""

Units: TypeAlias = Annotated[int, Interval(ge=1, le=4096)]


class HeadOptions(TypedDict, total=False):
    """The options that all heads have."""

    value: ValueKind
    value_units: Units
    num_players: int


class MapHeadOptions(HeadOptions, total=False):
    """The options of heads that read a map of the board."""

    policy: MapPolicy
    pool: Pool
    value_channels: Annotated[int, Interval(ge=1, le=1024)]


class TowerOptions(MapHeadOptions, total=False):
    """The options of towers of convolutions."""

    stem: Literal[1, 3]


class VectorHeadOptions(HeadOptions, total=False):
    """The options of heads that read a vector."""

    policy: VectorPolicy
    rank: Annotated[int, Interval(ge=1, le=256)]


def heads(
    channels: int,
    board: tuple[int, int],
    num_actions: int,
    value_channels: int,
    activation: Activation = "relu",
    *,
    options: MapHeadOptions,
) -> tuple[nn.Module, nn.Module]:
    """Return the policy head and the value head for features ``float32[B, channels, *board]``."""
    pooled = options.get("pool") == "global"
    squares = board[0] * board[1]
    kind = options.get("policy", "auto")
    policy = _map_policy(kind, channels, squares, num_actions, activation, pooled=pooled)
    value = ValueHead(
        channels,
        squares,
        options.get("value_channels", POOLED_CHANNELS if pooled else value_channels),
        activation,
        pooled=pooled,
        **_value_options(options),
    )
    return policy, value


def vector_heads(
    width: int, board: tuple[int, int], num_actions: int, options: VectorHeadOptions
) -> tuple[nn.Module, nn.Module]:
    """Return the policy head and the value head for features ``float32[B, width]``."""
    squares = board[0] * board[1]
    planes, rest = divmod(num_actions, squares)
    kind = options.get("policy", "auto")
    if kind == "factorised" and rest:
        raise InvalidConfig(_no_planes(kind, num_actions, squares))
    policy: nn.Module = nn.Linear(width, num_actions)
    if kind == "factorised" or (kind == "auto" and not rest):
        policy = FactorisedPolicyHead(width, squares, planes, options.get("rank", RANK))
    return policy, VectorValueHead(width, **_value_options(options))


class _ValueOptions(TypedDict):
    kind: ValueKind
    units: int
    num_players: int


def _value_options(options: HeadOptions) -> _ValueOptions:
    return {
        "kind": options.get("value", "wdlp"),
        "units": options.get("value_units", VALUE_UNITS),
        "num_players": options.get("num_players", 2),
    }


def _map_policy(
    kind: MapPolicy,
    channels: int,
    squares: int,
    actions: int,
    activation: Activation,
    *,
    pooled: bool,
) -> nn.Module:
    planes, rest = divmod(actions, squares)
    if kind == "auto":
        kind = "flat" if rest else "planes"
    if kind in ("planes", "pointwise"):
        if rest:
            raise InvalidConfig(_no_planes(kind, actions, squares))
        return PolicyHead(channels, planes, activation, kernel=3 if kind == "planes" else 1)
    if kind == "flat":
        return FlatPolicyHead(channels, squares, actions, activation, pooled=pooled)
    if pooled:
        message = "pool=global: policy=dense reads every square of one board; use planes or flat"
        raise InvalidConfig(message)
    return DensePolicyHead(channels, squares, actions, activation)


def _no_planes(kind: str, actions: int, squares: int) -> str:
    return f"policy={kind}: {actions} actions are no planes of {squares} squares; use policy=flat"
