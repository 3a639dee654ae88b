"""Towers of convolutions in lc0's files, with each kind of policy."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from phasezoo.inference.formats import lc0_attention
from phasezoo.inference.formats.lc0_layers import (
    Array,
    check_value,
    layer,
    length,
    part,
    written_layer,
)
from phasezoo.inference.formats.protobuf import Message, encoded

SQUEEZED = (2, 4)
"""Numbers of network structures whose blocks have squeeze-and-excitation."""

EPSILON = 1e-5
"""Term that the batch norms of both programs add to a variance."""


def read(
    weights: Message, form: Message
) -> tuple[tuple[int, int], dict[str, Any], dict[str, Array]]:
    """Return the channels and blocks of a tower, its other options, and its layers.

    Args:
        weights: The weights of the file.
        form: Its network format.

    Raises:
        ValueError: A part is missing, or has another size than its format says.
    """
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
    kept: dict[str, Array] = {}
    kept.update(_conv_norm("body.0", stem, (channels, 112, 3, 3)))
    for place, block in enumerate(blocks):
        name = f"body.{place + 1}"
        for number in (1, 2):
            conv = part(block, number, f"block {place + 1}")
            shape = (channels, channels, 3, 3)
            kept.update(_conv_norm(f"{name}.branch.{number - 1}", conv, shape))
        if squeeze:
            se = part(block, 3, "squeeze-and-excitation")
            kept.update(_linear(f"{name}.squeeze", se, (1, 2), (squeeze, channels)))
            kept.update(_linear(f"{name}.excite", se, (3, 4), (2 * channels, squeeze)))
    if policy == "attention":
        options |= lc0_attention.policy_options(weights, several=False)
        table = lc0_attention.policy_layers(channels, options, weights, several=False)
        kept.update(lc0_attention.read_layers(weights, table))
    elif policy == "convolution":
        hidden, moves = part(weights, 11, "policy"), part(weights, 3, "policy")
        kept.update(_conv_norm("policy.hidden", hidden, (channels, channels, 3, 3)))
        kept["policy.moves.weight"] = layer(moves, 1, (80, channels, 3, 3))
        kept["policy.moves.bias"] = layer(moves, 2, (80,))
    else:
        hidden = part(weights, 3, "policy")
        read = options["policy_channels"] = _outputs(hidden)
        kept.update(_conv_norm("policy.hidden", hidden, (read, channels, 1, 1)))
        kept.update(_linear("policy.moves", weights, (4, 5), (1858, 64 * read)))
    units, read = options["value_units"], options["value_channels"]
    kept.update(_board_head("value", weights, 6, (channels, read, units, answers)))
    if form.number(6) == 1 and weights.message(12) is not None:
        left = options["moves_left"] = _outputs(part(weights, 12, "moves left"))
        units = options["moves_left_units"] = length(part(weights, 14, "moves left"))
        kept.update(_board_head("moves_left", weights, 12, (channels, left, units, 1)))
    return (channels, len(blocks)), options, kept


def _board_head(
    name: str, weights: Message, first: int, sizes: tuple[int, int, int, int]
) -> Iterator[tuple[str, Array]]:
    """Yield a block and two layers, whose fields follow each other."""
    channels, read, units, numbers = sizes
    hidden = part(weights, first, name)
    yield from _conv_norm(f"{name}.hidden", hidden, (read, channels, 1, 1))
    yield from _linear(f"{name}.units", weights, (first + 1, first + 2), (units, 64 * read))
    yield from _linear(f"{name}.numbers", weights, (first + 3, first + 4), (numbers, units))


def _conv_norm(name: str, block: Message, shape: tuple[int, ...]) -> Iterator[tuple[str, Array]]:
    """Yield the convolution and the batch norm of a block.

    A bias before the norm moves its mean. A block without a norm has its bias alone.
    """
    outputs = shape[0]
    yield f"{name}.conv.weight", layer(block, 1, shape)
    bias = layer(block, 2, (outputs,)) if block.message(2) else np.zeros(outputs, np.float32)
    if block.message(3) is None:
        mean, variance = np.zeros_like(bias), np.full(outputs, 1 - EPSILON, np.float32)
        scale, shift = np.ones_like(bias), bias
    else:
        mean, variance = layer(block, 3, (outputs,)) - bias, layer(block, 4, (outputs,))
        if (variance < 0).any():
            message = f"a batch norm has a variance of {variance.min()}"
            raise ValueError(message)
        scale = layer(block, 5, (outputs,)) if block.message(5) else np.ones_like(bias)
        shift = layer(block, 6, (outputs,)) if block.message(6) else np.zeros_like(bias)
    parts = {"weight": scale, "bias": shift, "running_mean": mean, "running_var": variance}
    yield from ((f"{name}.norm.{part}", array) for part, array in parts.items())
    yield f"{name}.norm.num_batches_tracked", np.array(0, np.int64)


def _linear(
    name: str, parent: Message, fields: tuple[int, int], shape: tuple[int, int]
) -> Iterator[tuple[str, Array]]:
    yield f"{name}.weight", layer(parent, fields[0], shape)
    yield f"{name}.bias", layer(parent, fields[1], shape[:1])


def _outputs(block: Message) -> int:
    """Return how many channels a block makes: the length of its biases, or of its means."""
    found = block.message(2) or block.message(3)
    if found is None or not length(found):
        message = "a convolution has neither biases nor a batch norm"
        raise ValueError(message)
    return length(found)


def written(
    size: tuple[int, int], options: Mapping[str, Any], kept: Mapping[str, Array]
) -> list[tuple[int, int | bytes]]:
    """Return the fields of a tower's weights.

    Args:
        size: Its channels and blocks.
        options: Its other options.
        kept: Its layers by name.
    """
    squeeze, left = options["squeeze"], options["moves_left"]
    fields: list[tuple[int, int | bytes]] = [(1, _written_block(kept, "body.0"))]
    for place in range(1, size[1] + 1):
        name = f"body.{place}"
        block = [(number, _written_block(kept, f"{name}.branch.{number - 1}")) for number in (1, 2)]
        if squeeze:
            layers = [*_written_linear(kept, f"{name}.squeeze", 1),
                      *_written_linear(kept, f"{name}.excite", 3)]  # fmt: skip
            block.append((3, encoded(layers)))
        fields.append((2, encoded(block)))
    if options["policy"] == "attention":
        table = lc0_attention.policy_layers(size[0], options, None, several=False)
        fields += lc0_attention.written_layers(table, kept, options, several=False)
    elif options["policy"] == "convolution":
        moves = encoded(_written_linear(kept, "policy.moves", 1))
        fields += [(11, _written_block(kept, "policy.hidden")), (3, moves)]
    else:
        hidden = _written_block(kept, "policy.hidden")
        fields += [(3, hidden), *_written_linear(kept, "policy.moves", 4)]
    for name, first in (("value", 6), *([("moves_left", 12)] if left else [])):
        fields += [
            (first, _written_block(kept, f"{name}.hidden")),
            *_written_linear(kept, f"{name}.units", first + 1),
            *_written_linear(kept, f"{name}.numbers", first + 3),
        ]
    return fields


def _written_block(kept: Mapping[str, Array], name: str) -> bytes:
    norm = [
        kept[f"{name}.norm.{part}"] for part in ("running_mean", "running_var", "weight", "bias")
    ]
    arrays = (kept[f"{name}.conv.weight"], *norm)
    return encoded(list(zip((1, 3, 4, 5, 6), map(written_layer, arrays), strict=True)))


def _written_linear(kept: Mapping[str, Array], name: str, first: int) -> list[tuple[int, bytes]]:
    return [(first + place, written_layer(kept[f"{name}.{part}"]))
            for place, part in enumerate(("weight", "bias"))]  # fmt: skip
