"""Outputs of torch networks, whoever wrote them, brought into one form."""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from phasezoo.checking import type_name
from phasezoo.errors import CheckpointError, InvalidConfig, first_line
from phasezoo.games import PlaneLayout
from phasezoo.inference.backends.tensors import (
    VALUE_FORMS,
    ValueForm,
    columns_of,
    kind_of,
    looks_like_odds,
)
from phasezoo.inference.storage.manifest import Manifest, ValueKind
from phasezoo.networks import Unpack
from phasezoo.networks.output import value_field_of
from phasezoo.specs import check_value

_FIELDS: dict[str, ValueForm] = {"wdl_logits": "wdl_logits", "scalar": "value", "values": "values"}
"""The fields of :class:`phasezoo.networks.NetworkOutput` that tell a value, and their forms."""

PLIES_UNIT = 100.0
"""Plies that 1 stands for in ``NetworkOutput.plies``."""

EXPECTED = (
    "a network answers networks.NetworkOutput(policy_logits, wdl_logits=… | scalar=… | values=…), "
    "or a pair (policy logits, value)"
)


class Probe(NamedTuple):
    """Outputs that a network was found to have."""

    num_actions: int
    """Size A of its policy."""
    form: ValueForm
    """How it writes its value."""
    plies: bool
    """Whether it says how many plies are left."""

    @property
    def kind(self) -> ValueKind:
        """Kind of its value."""
        return kind_of(self.form)


class Answers(nn.Module):
    """A network that answers logits, values as its :data:`ValueKind` has them, and plies.

    Args:
        network: Answers ``NetworkOutput``, or a pair.
        form: How it writes its value.
        plies: Whether it says how many plies are left.
    """

    def __init__(self, network: nn.Module, form: ValueForm, *, plies: bool = False) -> None:
        super().__init__()
        self.network = network
        self.form = form
        self.plies = plies

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        """Answer ``float32[B, C, H, W]``.

        Returns:
            ``float32[B, A]``; ``float32[B, 3]``, ``float32[B]`` or ``float32[B, P]``; and, if it
            says so, the plies that are left, ``float32[B]``.
        """
        output = self.network(planes)
        policy, values = _parts(output, self.form)
        if self.form == "wdl_logits":
            values = torch.softmax(_exact(values), dim=1)
        elif self.form == "value":
            values = values.flatten()
        if not self.plies:
            return policy.flatten(1), values
        return policy.flatten(1), values, PLIES_UNIT * _exact(output.plies).flatten()


class Unpacked(nn.Module):
    """A network that answers packed planes.

    Args:
        answers: The network.
        layout: Where the planes are.
    """

    def __init__(self, answers: Answers, layout: PlaneLayout) -> None:
        super().__init__()
        self.unpack = Unpack(layout)
        self.answers = answers
        self.plies = answers.plies

    def forward(self, *packed: Tensor) -> tuple[Tensor, ...]:
        """As :meth:`Answers.forward`, of what :class:`phasezoo.networks.Unpack` takes."""
        found: tuple[Tensor, ...] = self.answers(self.unpack(*packed))
        return found


@torch.inference_mode()
def probe(
    network: nn.Module,
    input_shape: tuple[int, int, int],
    num_players: int,
    name: str,
    form: ValueForm | None = None,
) -> Probe:
    """Show a network two rows of zeros and see what it answers.

    Args:
        network: In eval mode.
        input_shape: Channels, height and width of its planes.
        num_players: How many play.
        name: How errors call it.
        form: How it writes its value; None: as its ``NetworkOutput`` says, or the pair's shape.
    """
    check_value("value", ValueForm | None, form)
    rows = torch.zeros(2, *input_shape)
    for weight in network.parameters():
        if weight.is_floating_point() and not is_lazy(weight):
            rows = rows.to(weight)  # its device and number format
            break
    try:
        output = network(rows)
    except Exception as error:  # whatever a user's network raises
        reason = first_line(error)
        message = f"{name} fails on planes {list(rows.shape)}: {type(error).__name__}: {reason}"
        raise InvalidConfig(message) from error
    found = _form(output, num_players, name) if form is None else form
    try:
        policy, values = _parts(output, found)
        shape, columns = tuple(values.shape), columns_of(found, num_players)
    except (AttributeError, TypeError, ValueError) as error:
        message = f"{name} answers {_described(output)}, which has no {found}; {EXPECTED}"
        raise InvalidConfig(message) from error
    expected = [(2, columns), *([(2,)] if columns == 1 else [])]
    if shape not in expected:
        message = f"{name}: {found} has shape {list(shape)}, expected {list(expected[0])} of 2 rows"
        raise InvalidConfig(message)
    if policy.ndim < 2 or len(policy) != 2:
        message = f"{name}: policy has shape {list(policy.shape)}, expected [2, A] of 2 rows"
        raise InvalidConfig(message)
    return Probe(policy[0].numel(), found, getattr(output, "plies", None) is not None)


def answers_of(network: nn.Module, manifest: Manifest) -> Answers:
    """Return the network that a manifest describes, in eval mode."""
    network.eval()
    name = manifest.network_text
    try:
        found = probe(network, manifest.input_shape, manifest.num_players, name)
    except InvalidConfig as error:
        raise CheckpointError(str(error)) from error
    if found.num_actions != manifest.num_actions or found.kind != manifest.value_kind:
        message = (
            f"{name} answers {found.num_actions} actions and {found.kind}; its manifest says "
            f"{manifest.num_actions} and {manifest.value_kind}"
        )
        raise CheckpointError(message)
    if manifest.plies_left not in (None, found.plies):
        message = (
            f"{name} {'says' if found.plies else 'does not say'} how many plies are left; its "
            "manifest says otherwise"
        )
        raise CheckpointError(message)
    return Answers(network, found.form, plies=found.plies).eval()


def _exact(answer: Tensor) -> Tensor:
    return answer if answer.dtype == torch.float32 else answer.float()


def _parts(output: Any, form: ValueForm) -> tuple[Tensor, Tensor]:
    """Return the policy and the value of an answer."""
    if hasattr(output, "policy_logits"):
        found = [getattr(output, field, None) for field, each in _FIELDS.items() if each == form]
        if not found or found[0] is None:
            raise ValueError(form)
        return output.policy_logits, found[0]
    policy, values = output
    return policy, values


def _form(output: Any, num_players: int, name: str) -> ValueForm:
    """Return the form in which an answer writes its value."""
    if hasattr(output, "policy_logits"):
        answered = [field for field in _FIELDS if getattr(output, field, None) is not None]
        field = value_field_of(answered, num_players)
        if field is not None:
            return _FIELDS[field]
    elif isinstance(output, tuple | list) and len(output) == 2:
        second = output[1]
        if isinstance(second, Tensor) and second.ndim in (1, 2):
            return _form_of_pair(second, num_players, name)
    message = f"{name} answers {_described(output)}; {EXPECTED}"
    raise InvalidConfig(message)


def _form_of_pair(values: Tensor, num_players: int, name: str) -> ValueForm:
    columns = 1 if values.ndim == 1 else values.shape[1]
    if columns == 3 and num_players != 3:
        odds = looks_like_odds(values.float().cpu().numpy())
        return "wdl" if odds else "wdl_logits"
    if columns == 1:
        return "value"
    if columns == num_players and columns != 3:
        return "values"
    known = ", ".join(f"{form!r}" for form in VALUE_FORMS)
    message = (
        f"{name}: a second answer of shape {list(values.shape)} does not say what it is: give "
        f"value= one of {known}"
    )
    raise InvalidConfig(message)


def _described(output: Any) -> str:
    if isinstance(output, Tensor):
        return f"a tensor {list(output.shape)}"
    if isinstance(output, tuple | list):
        return f"{type(output).__name__}({', '.join(map(_described, output))})"
    return type_name(output) if output is not None else "None"
