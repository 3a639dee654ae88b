"""Whether a network can be trained and played with, found out before anything is written."""

import contextlib
import copy
from collections.abc import Collection, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from phasezoo.checking import type_name
from phasezoo.errors import InvalidNetwork
from phasezoo.networks.making import make
from phasezoo.networks.output import VALUE_FIELDS, NetworkOutput
from phasezoo.networks.phase_layers import PhaseLayers
from phasezoo.networks.registry import Factory
from phasezoo.networks.specs import NetworkSpec

ROWS = 4
"""Positions that the network is tried on."""

MOST_NAMED = 5
"""Parameters that a message names."""


def check(
    network: nn.Module | str | Factory | NetworkSpec,
    input_shape: tuple[int, int, int],
    num_actions: int,
    *,
    num_players: int = 2,
    needs: Collection[str] = (),
) -> tuple[str, ...]:
    """Try a network forwards and backwards on a few random planes.

    The network, its gradients, its mode and torch's generator are as before afterwards.

    Args:
        network: The network, or what :func:`make` makes it from.
        input_shape: Channels, height and width of the planes that it will be shown.
        num_actions: Size A of the policy that it must answer.
        num_players: How many play.
        needs: Fields of :class:`NetworkOutput` that it must answer; besides these it must answer a
            policy, and a value in one of its forms.

    Returns:
        The fields that it answers, in their order.

    Raises:
        InvalidConfig: There is no such network.
        InvalidNetwork: It raises, answers something else than :class:`NetworkOutput`, a field of
            another shape or number format, NaN, or lacks a field; rows answer for each other in
            eval mode; or a parameter has no part in any answer.
    """
    if not isinstance(network, nn.Module):
        network = make(network, input_shape, num_actions, num_players=num_players)
    name = type(network).__name__
    with torch.random.fork_rng(devices=[]), untouched(network):
        torch.manual_seed(0)
        place = next(network.parameters(), torch.empty(0))
        planes = torch.rand(ROWS, *input_shape).to(place.device)
        network.eval()
        with torch.no_grad():
            played = _answer(network, planes, name)
            _check_fields(played, (ROWS, num_actions, num_players), name)
            _check_needs(played, needs, name)
            _check_rows(played, _answer(network, planes[:1], name), name)
            if isinstance(network, PhaseLayers):
                _check_phases(network, planes, name)
        network.train()
        trained = _answer(network, planes, name)
        _check_fields(trained, (ROWS, num_actions, num_players), name)
        _check_gradients(network, trained, name)
    return played.answered()


@contextlib.contextmanager
def untouched(network: nn.Module) -> Iterator[None]:
    """Put weights, running statistics, gradients and mode back in the end."""
    state = copy.deepcopy(network.state_dict())
    modes = [(module, module.training) for module in network.modules()]
    gradients = [(parameter, parameter.grad) for parameter in network.parameters()]
    for parameter, _ in gradients:
        parameter.grad = None
    try:
        yield
    finally:
        with torch.no_grad():
            network.load_state_dict(state)
        for module, mode in modes:
            module.training = mode
        for parameter, gradient in gradients:
            parameter.grad = gradient


def _answer(network: nn.Module, planes: Tensor, name: str) -> NetworkOutput:
    shape = list(planes.shape)
    try:
        output = network(planes)
    except Exception as error:  # whatever a user's forward raises
        reason = " ".join(str(error).split())
        message = (
            f"{name}: raised {type(error).__name__} on planes float32{shape} ({reason}); a network "
            "is called with planes float32[B, C, H, W]"
        )
        raise InvalidNetwork(message) from error
    if not isinstance(output, NetworkOutput):
        message = (
            f"{name}: answered {_shown(output)}; expected phasezoo.networks.NetworkOutput("
            "policy_logits, wdl_logits, plies, scalar=…, values=…), without what it has no head for"
        )
        raise InvalidNetwork(message)
    return output


def _check_fields(output: NetworkOutput, sizes: tuple[int, int, int], name: str) -> None:
    rows, actions, players = sizes
    shapes = {
        "policy_logits": (rows, actions),
        "wdl_logits": (rows, 3),
        "plies": (rows,),
        "scalar": (rows,),
        "values": (rows, players),
    }
    for field, shape in shapes.items():
        answer: Any = getattr(output, field)
        if answer is None and field != "policy_logits":
            continue
        if (
            not isinstance(answer, Tensor)
            or answer.shape != shape
            or not answer.is_floating_point()
        ):
            message = (
                f"{name}: {field} is {_shown(answer)}; expected a float tensor of shape "
                f"{list(shape)} for {rows} positions, {actions} actions and {players} players"
            )
            raise InvalidNetwork(message)
        if not bool(torch.isfinite(answer).all()):
            message = f"{name}: {field} has NaN or infinities on planes in [0, 1) with new weights"
            raise InvalidNetwork(message)


def _check_needs(output: NetworkOutput, needs: Collection[str], name: str) -> None:
    answered = output.answered()
    if not set(answered) & set(VALUE_FIELDS):
        message = f"{name}: no value; one of {', '.join(VALUE_FIELDS)} must be answered"
        raise InvalidNetwork(message)
    missing = [field for field in needs if field not in answered]
    if missing:
        message = (
            f"{name}: no {missing[0]}, which is asked for; it answers {', '.join(answered)}. Give "
            "it such a head, or set the weight of that loss to 0"
        )
        raise InvalidNetwork(message)


def _check_rows(output: NetworkOutput, first: NetworkOutput, name: str) -> None:
    """In eval mode a position's answer must not depend on the others of its batch."""
    for field in output.answered():
        together, alone = getattr(output, field)[:1], getattr(first, field)
        if not torch.allclose(together, alone, rtol=1e-3, atol=1e-3):
            message = (
                f"{name}: {field} of a position changes with the positions beside it in eval mode; "
                "rows of a batch must be answered one by one"
            )
            raise InvalidNetwork(message)


def _check_phases(network: PhaseLayers, planes: Tensor, name: str) -> None:
    """A row's phase must reach it wherever layers change, whatever the changes are."""
    other = copy.deepcopy(network)
    for parameter in other.changes.parameters():
        parameter.add_(0.1 * torch.randn_like(parameter))
    phases = torch.arange(len(planes), device=planes.device) % other.phases
    try:
        together = other(planes, phases)
        for phase in range(other.phases):
            rows = phases == phase
            alone = other.fix_phase(phase).eval()(planes[rows]) if rows.any() else None
            for field in () if alone is None else alone.answered():
                said = getattr(together, field)[rows]
                far = 1e-2 * max(1.0, float(said.abs().max()))
                torch.testing.assert_close(getattr(alone, field), said, rtol=0, atol=far)
    except Exception as error:  # whatever a user's body does with its rows
        reason = " ".join(str(error).split())
        message = (
            f"{name}: layers of its body that change with the phase do not get one row for each "
            f"position, or change in a way of their own ({reason}); use phase_planes or phase_heads"
        )
        raise InvalidNetwork(message) from error


def _check_gradients(network: nn.Module, output: NetworkOutput, name: str) -> None:
    """Every parameter that may change must have a part in some answer."""
    named = [(n, p) for n, p in network.named_parameters() if p.requires_grad]
    if not named:
        message = f"{name}: no parameter with requires_grad, so there is nothing to train"
        raise InvalidNetwork(message)
    answers = [getattr(output, field) for field in output.answered()]
    total = sum(answer.float().square().sum() for answer in answers)
    if not isinstance(total, Tensor) or not total.requires_grad:
        message = f"{name}: its answers have no gradient; forward must not detach them"
        raise InvalidNetwork(message)
    total.backward()  # type: ignore[no-untyped-call]
    without = [n for n, p in named if p.grad is None]
    if without:
        shown = ", ".join(without[:MOST_NAMED]) + (", …" if len(without) > MOST_NAMED else "")
        message = (
            f"{name}: {len(without)} of {len(named)} parameters get no gradient ({shown}); use "
            "them in forward, take them out, or set their requires_grad to False"
        )
        raise InvalidNetwork(message)
    broken = [n for n, p in named if p.grad is not None and not bool(torch.isfinite(p.grad).all())]
    if broken:
        message = f"{name}: the gradient of {broken[0]} is NaN or infinite with new weights"
        raise InvalidNetwork(message)


def _shown(answer: object) -> str:
    if isinstance(answer, Tensor):
        return f"{str(answer.dtype).removeprefix('torch.')}{list(answer.shape)}"
    return "None" if answer is None else type_name(answer)
