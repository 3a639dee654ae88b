"""Networks made of their texts, and described for manifests."""

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import torch
from annotated_types import Lt
from torch import nn
from torch.nn.parameter import is_lazy

from phasezoo.checking import shown, type_name
from phasezoo.errors import InvalidConfig, InvalidNetwork, PhasezooError
from phasezoo.networks.conditioned import ConditionedNetwork
from phasezoo.networks.phase_input import PHASE_OPTIONS, PhaseChoice
from phasezoo.networks.registry import Factory
from phasezoo.networks.specs import NetworkSpec, Plan, plan_of
from phasezoo.specs import NonNegativeInt, check_value, renamed
from phasezoo.types import PhaseInput

_MADE_AS = "_phasezoo_made_as"
_SIZED = re.compile(r"(?P<head>[^:]+)-(?P<channels>\d+)x(?P<blocks>\d+)(?P<rest>(?::.*)?)")


def make(
    spec: str | Factory | NetworkSpec,
    input_shape: tuple[int, int, int] = (52, 8, 8),
    num_actions: int = 4672,
    seed: int = 0,
    *,
    num_players: int = 2,
    **options: Any,
) -> nn.Module:
    """Make a network with new weights, drawn from ``seed`` alone.

    Args:
        spec: A name (see :data:`GRAMMAR`), with options or without (``rise-32x4:value=mse``); or a
            factory (see :func:`register`); or a :class:`NetworkSpec`.
        input_shape: Channels, height and width of the input planes; chess's ``v2`` by default.
        num_actions: Size A of the policy; chess's by default.
        seed: From 0, below 2**64. The same seed gives the same weights, whatever else torch has
            drawn.
        num_players: How many play, for networks with a value for each.
        options: More options of the network, such as ``value="mse"``.

    Raises:
        InvalidConfig: There is no such network or option, or the sizes or the seed do not fit.
        InvalidNetwork: A user's factory raised, or answered something that is no module.
        MissingDependency: The network needs a package that is not installed.
    """
    plan = plan_of(spec, options)
    seed = check_value("seed", Annotated[NonNegativeInt, Lt(2**64)], seed)
    try:
        sizes = [operator.index(each) for each in (*input_shape, num_actions, num_players)]
    except TypeError:
        sizes = []
    if len(sizes) != 5 or min(sizes) < 1:
        message = (
            f"input_shape={shown(input_shape)}, num_actions={shown(num_actions)}, "
            f"num_players={shown(num_players)}: expected (channels, height, width), and all whole "
            "numbers of 1 or more; a game's handle has them as plane_specs and num_actions"
        )
        raise InvalidConfig(message)
    arguments: dict[str, Any] = dict(plan.arguments)
    if plan.signature.takes_num_players:
        arguments["num_players"] = num_players
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        seen = input_shape if plan.phases is None else plan.phases.shown(input_shape)
        network = _called(plan, seen, num_actions, arguments)
        _settle(network, seen, str(plan.spec))
        if plan.phases is not None:
            network = plan.phases.wrap(network, f"network {str(plan.spec)!r}")
    # In the dictionary itself, which copies of the module take along and its weights do not.
    network.__dict__[_MADE_AS] = plan.spec
    return network


def scaled(spec: str, depth: float, *, power: float = 1.6, cost: float = 2.0) -> str:
    """The text of a network that is deeper and wider, or narrower, by compound scaling.

    Blocks are multiplied by ``depth``, and channels by ``width``, where
    ``depth * width**power == cost``: ``scaled("tower-192x10", 1.8)`` is ``"tower-205x18"``. With a
    power of 2 the multiply-adds of convolutions grow by ``cost`` (Tan and Le, 2019, Eq. 3); 1.6 is
    what Czech et al. (2024, Eqs 4 to 6 and Table 9) fitted to latency on a GPU.

    Args:
        spec: A name that ends in channels and blocks, such as ``tower-192x10``, with options or
            without.
        depth: Blocks of the result by those of ``spec``.
        power: How cost grows with channels.
        cost: Cost of the result by that of ``spec``.

    Raises:
        InvalidConfig: The text does not end so, or a number is not from 0.1 to 100.
    """
    found = _SIZED.fullmatch(spec)
    if found is None:
        message = f"{spec!r}: expected channels and blocks at its end, such as tower-192x10"
        raise InvalidConfig(message)
    for name, number in (("depth", depth), ("power", power), ("cost", cost)):
        if not 0.1 <= number <= 100:
            message = f"{name}={number}: expected a number from 0.1 to 100"
            raise InvalidConfig(message)
    blocks = max(1, round(int(found["blocks"]) * depth))
    channels = max(1, round(int(found["channels"]) * (cost / depth) ** (1 / power)))
    return f"{found['head']}-{channels}x{blocks}{found['rest']}"


def conditioned(spec: str | Factory | NetworkSpec, how: PhaseInput, phases: int) -> NetworkSpec:
    """Return the spec of the same network with the phase of each position as an input."""
    plan = plan_of(spec)
    if plan.phases is not None:
        message = f"network {str(plan.spec)!r}: takes the phase already; leave that option out"
        raise InvalidConfig(message)
    option = PhaseChoice(how, phases).option
    return plan_of(plan.spec, option).spec


def fix_phase(network: ConditionedNetwork, phase: int) -> nn.Module:
    """Copy a network so that it answers planes alone, as if all positions were of ``phase``.

    Args:
        network: A network that takes the phase.
        phase: The phase, from 0.

    Raises:
        InvalidArray: It knows no such phase.
    """
    settled = network.fix_phase(phase)
    spec = made_as(network)
    if spec is not None:
        left = (
            spec.options
            if isinstance(settled, ConditionedNetwork)
            else {n: v for n, v in spec.options.items() if n not in PHASE_OPTIONS}
        )
        settled.__dict__[_MADE_AS] = replace(spec, options=left)
    return settled


def made_as(network: nn.Module) -> NetworkSpec | None:
    """Return the spec from which :func:`make` made ``network`` or its original; else None."""
    spec: NetworkSpec | None = network.__dict__.get(_MADE_AS)
    return spec


def described(spec: str | Factory | NetworkSpec) -> NetworkSpec:
    """Return the spec that a manifest keeps, from which :func:`make` makes a network.

    Nothing is built, so this is also how a text is checked early.
    """
    return plan_of(spec).spec


told = renamed(fix_phase, "networks.told", "networks.fix_phase")
describe = renamed(described, "networks.describe", "networks.spec_of")
description_of = renamed(made_as, "networks.description_of", "networks.spec_of")


def spec_of(network: nn.Module | str | Factory | NetworkSpec, **options: Any) -> str:
    """Return the text from which :func:`make` makes a network of the same architecture.

    Nothing is built, so this is also how a text is checked early.

    Args:
        network: One that :func:`make` made, or a copy of it; or a text, factory or
            :class:`NetworkSpec`, whose text is the same for all spellings.
        options: Options that the network is to have besides its own, as for :func:`make`.

    Raises:
        InvalidConfig: There is no such network or option, a value is not allowed, or it is not
            known how the network was made.
    """
    spec = made_as(network) if isinstance(network, nn.Module) else described(network)
    if spec is None:
        message = (
            f"{type_name(network)} that networks.make did not make: make it by "
            "networks.make(text), or register its class by networks.register(name, factory)"
        )
        raise InvalidConfig(message)
    return str(plan_of(spec, options).spec) if options else str(spec)


def fits_boards(
    spec: str | Factory | NetworkSpec, input_shape: tuple[int, int, int], num_actions: int
) -> bool:
    """Return whether a network's weights fit boards of any size: they equal a larger one's."""
    channels, height, width = input_shape
    larger = (channels, height + 1, width + 1)
    own, other = (
        {name: weight.shape for name, weight in make(spec, shape, num_actions).state_dict().items()}
        for shape in (input_shape, larger)
    )
    return own == other


def _called(
    plan: Plan,
    input_shape: tuple[int, int, int],
    num_actions: int,
    arguments: Mapping[str, Any],
) -> nn.Module:
    """Call the factory; errors of a user's factory become ours, with theirs as the cause."""
    try:
        network: Any = plan.factory(input_shape, num_actions, **arguments)
    except PhasezooError:
        raise
    except Exception as error:
        message = (
            f"network {str(plan.spec)!r}: its factory raised {type(error).__name__} ({error}) for "
            f"input_shape={tuple(input_shape)}, num_actions={num_actions}"
        )
        raise InvalidNetwork(message) from error
    if not isinstance(network, nn.Module):
        message = (
            f"network {str(plan.spec)!r}: its factory answered {network!r}; expected a "
            "torch.nn.Module"
        )
        raise InvalidNetwork(message)
    return network


def _settle(network: nn.Module, input_shape: tuple[int, int, int], name: str) -> None:
    """Show planes to a network whose layers (``LazyLinear``) wait for them to know their sizes."""
    if not any(map(is_lazy, network.parameters())):
        return
    training = network.training
    network.eval()
    try:
        with torch.no_grad():
            network(torch.zeros(1, *input_shape))
    except Exception as error:
        message = f"network {name!r}: raised {type(error).__name__} ({error}) on its first planes"
        raise InvalidNetwork(message) from error
    network.train(training)


@dataclass(frozen=True)
class NetworkSize:
    """How large a network is."""

    parameters: int
    """Numbers that training adjusts."""
    multiply_adds: int
    """Multiplications, each with its addition, that one position takes in convolutions, linear
    layers and attention; norms, activations and sums are not counted."""


def count(
    network: nn.Module | str | Factory | NetworkSpec,
    input_shape: tuple[int, int, int] = (52, 8, 8),
    num_actions: int = 4672,
    *,
    num_players: int = 2,
) -> NetworkSize:
    """Count a network's parameters and what one position costs it.

    Args:
        network: The network, or what :func:`make` makes it from.
        input_shape: Channels, height and width of the input planes.
        num_actions: Size of the policy.
        num_players: How many play.

    Raises:
        InvalidConfig: There is no such network, or it does not fit.
    """
    from torch.utils.flop_counter import FlopCounterMode  # imports Triton, which takes a while

    if not isinstance(network, nn.Module):
        network = make(network, input_shape, num_actions, num_players=num_players)
    training = network.training
    place = next(network.parameters(), torch.empty(0))
    planes = torch.zeros(1, *input_shape, device=place.device, dtype=place.dtype)
    network.eval()
    try:
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            if isinstance(network, ConditionedNetwork):
                network(planes, torch.zeros(1, dtype=torch.int64, device=place.device))
            else:
                network(planes)
    finally:
        network.train(training)
    return NetworkSize(
        parameters=sum(parameter.numel() for parameter in network.parameters()),
        multiply_adds=counter.get_total_flops() // 2,
    )
