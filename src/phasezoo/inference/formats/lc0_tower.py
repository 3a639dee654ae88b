"""Towers of convolutions in lc0's files, with each kind of policy."""

from collections.abc import Iterator, Mapping
from typing import Any

from phasezoo.inference.formats import lc0_attention
from phasezoo.inference.formats.lc0_layers import (
    Layer,
    check_value,
    length,
    linear,
    part,
)
from phasezoo.inference.formats.protobuf import Message

SQUEEZED = (2, 4)
"""Numbers of network structures whose blocks have squeeze-and-excitation."""


def read_options(weights: Message, form: Message) -> tuple[tuple[int, int], dict[str, Any]]:
    """Return the size and the options of a tower, from the lengths of its layers."""
    blocks = weights.messages(2)
    stem = part(weights, 1, "input block")
    channels = _outputs(stem)
    squeezes = [block.message(3) for block in blocks]
    units_of = {0 if se is None else length(part(se, 2, "bias")) for se in squeezes}
    squeeze = max(units_of, default=0)
    expected = form.number(3, 1) in SQUEEZED
    if len(units_of) > 1 or any((se is not None) != expected for se in squeezes):
        message = (
            f"structure {form.number(3, 1)} has blocks {'with' if expected else 'without'} "
            f"squeeze-and-excitation; those of the file squeeze to {sorted(units_of)} units"
        )
        raise ValueError(message)
    if expected and blocks and not squeeze:
        message = "squeeze-and-excitation has no units"
        raise ValueError(message)
    policy = {1: "classical", 2: "convolution", 3: "attention"}.get(form.number(4))
    if policy is None:
        policy = "convolution" if weights.message(11) else "classical"
    value = part(weights, 6, "value block")
    answers = length(part(weights, 10, "value"))
    check_value(answers, form)
    options: dict[str, Any] = {
        "squeeze": squeeze,
        "activation": "mish" if form.number(7) == 1 else "relu",
        "policy": policy,
        "value": "wdl" if answers == 3 else "mse",
        "value_channels": _outputs(value),
        "value_units": length(part(weights, 8, "value")),
        "moves_left": 0,
    }
    if policy == "attention":
        options |= lc0_attention.policy_options(weights, several=False)
    elif policy == "classical":
        options["policy_channels"] = _outputs(part(weights, 3, "policy"))
    if form.number(6) == 1 and weights.message(12) is not None:
        options["moves_left"] = _outputs(part(weights, 12, "moves left"))
        options["moves_left_units"] = length(part(weights, 14, "moves left"))
    return (channels, len(blocks)), options


def _outputs(block: Message) -> int:
    """Return how many channels a block makes: the length of its biases, or of its means."""
    found = block.message(2) or block.message(3)
    if found is None or not length(found):
        message = "a convolution has neither biases nor a batch norm"
        raise ValueError(message)
    return length(found)


def layers(size: tuple[int, int], options: Mapping[str, Any]) -> Iterator[Layer]:
    """Yield every layer of a tower."""
    channels, squeeze = size[0], options["squeeze"]
    square = (channels, channels, 3, 3)
    yield Layer("body.0", (1,), (channels, 112, 3, 3), is_block=True)
    for place in range(size[1]):
        name, at = f"body.{place + 1}", (2, place)
        for number in (1, 2):
            yield Layer(f"{name}.branch.{number - 1}", (at, number), square, is_block=True)
        if squeeze:
            yield from linear(f"{name}.squeeze", 1, (squeeze, channels), (at, 3))
            yield from linear(f"{name}.excite", 3, (2 * channels, squeeze), (at, 3))
    if options["policy"] == "attention":
        yield from lc0_attention.policy_layers(channels, options, None, several=False)
    elif options["policy"] == "convolution":
        yield Layer("policy.hidden", (11,), square, is_block=True)
        yield from linear("policy.moves", 1, (80, channels, 3, 3), (3,))
    else:
        read = options["policy_channels"]
        yield Layer("policy.hidden", (3,), (read, channels, 1, 1), is_block=True)
        yield from linear("policy.moves", 4, (1858, 64 * read))
    heads = {"value": (6, 3 if options["value"] == "wdl" else 1)}
    if options["moves_left"]:
        heads["moves_left"] = 12, 1
    for name, (first, numbers) in heads.items():
        read = options["moves_left" if name == "moves_left" else "value_channels"]
        units = options[f"{name}_units"]
        yield Layer(f"{name}.hidden", (first,), (read, channels, 1, 1), is_block=True)
        yield from linear(f"{name}.units", first + 1, (units, 64 * read))
        yield from linear(f"{name}.numbers", first + 3, (numbers, units))
