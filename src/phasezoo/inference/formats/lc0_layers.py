"""The layers of lc0's files: numbers of 16 bits each, and where they lie.

One table of layers serves reading and writing.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidConfig
from phasezoo.inference.formats.protobuf import Message, encoded

LINEAR16 = 1
"""Encoding of layers as 16 bits between their least and their greatest number."""

LARGEST_SPAN = 1e38
"""Between the least and the greatest number of a layer; beyond it 32 bits overflow."""

EPSILON = 1e-5
"""Term that the batch norms of both programs add to a variance."""

Array: TypeAlias = npt.NDArray[np.float32]

Path: TypeAlias = tuple[int | tuple[int, int], ...]
"""Fields from a message down to a layer; a repeated one with its place."""


class Layer(NamedTuple):
    """A layer of a network, or a convolution with its batch norm."""

    name: str
    """Its name in the network."""
    path: Path
    """Where it lies in the file."""
    shape: tuple[int, ...]
    """The shape of its numbers, or of the convolution's."""
    is_block: bool = False
    """Whether it is a convolution with its norm, a message of its own."""


def linear(name: str, number: int, shape: tuple[int, ...], at: Path = ()) -> Iterator[Layer]:
    """Yield the weights and the biases of a layer, whose fields follow each other."""
    yield Layer(f"{name}.weight", (*at, number), shape)
    yield Layer(f"{name}.bias", (*at, number + 1), shape[:1])


def read_layers(weights: Message, table: Iterable[Layer]) -> dict[str, Array]:
    """Return the layers of a table by name."""
    holders: dict[Path, Message] = {}
    found: dict[str, Array] = {}
    for name, path, shape, is_block in table:
        above = path if is_block else path[:-1]
        if above not in holders:
            holders[above] = down(weights, above)
        if is_block:
            found.update(_block(name, holders[above], shape))
        else:
            found[name] = layer(holders[above], path[-1], shape)  # type: ignore[arg-type]  # no place
    return found


def _block(name: str, block: Message, shape: tuple[int, ...]) -> Iterator[tuple[str, Array]]:
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
    parts = zip(NORM.values(), (mean, variance, scale, shift), strict=True)
    yield from ((f"{name}.norm.{part}", array) for part, array in parts)
    yield f"{name}.norm.num_batches_tracked", np.array(0, np.int64)


NORM = {3: "running_mean", 4: "running_var", 5: "weight", 6: "bias"}
"""Parts of a batch norm by their fields in a block."""


def down(message: Message, path: Path) -> Message:
    """Return the message at the end of a path."""
    for step in path:
        if isinstance(step, tuple):
            message = message.messages(step[0])[step[1]]
        else:
            message = part(message, step, "message")
    return message


def written_layers(
    table: Iterable[Layer], kept: Mapping[str, Array], numbers: Mapping[Path, int]
) -> list[tuple[int, int | bytes]]:
    """Return the fields of a message with the layers of a table."""
    parts: list[tuple[Path, int | bytes]] = [
        (path, _written_block(name, kept) if is_block else written_layer(kept[name]))
        for name, path, _, is_block in table
    ]
    return _nested(parts + list(numbers.items()))


def _written_block(name: str, kept: Mapping[str, Array]) -> bytes:
    fields = {1: "conv.weight"} | {number: f"norm.{part}" for number, part in NORM.items()}
    return encoded([(number, written_layer(kept[f"{name}.{part}"]))
                    for number, part in fields.items()])  # fmt: skip


def _nested(parts: list[tuple[Path, int | bytes]]) -> list[tuple[int, int | bytes]]:
    groups: dict[int | tuple[int, int], list[tuple[Path, int | bytes]]] = {}
    for path, data in parts:
        groups.setdefault(path[0], []).append((path[1:], data))
    return [
        (step if isinstance(step, int) else step[0],
         inner[0][1] if not inner[0][0] else encoded(_nested(inner)))
        for step, inner in groups.items()
    ]  # fmt: skip


def part(parent: Message, number: int, what: str) -> Message:
    """Return a message's field that must be there."""
    found = parent.message(number)
    if found is None:
        message = f"the {what} is missing (field {number})"
        raise ValueError(message)
    return found


def length(layer: Message) -> int:
    """Return how many numbers a layer has."""
    return len(layer.bytes(3) or b"") // 2


def layer(parent: Message, number: int, shape: tuple[int, ...]) -> Array:
    """Return the numbers of a layer: 16 bits each, evenly between its least and its greatest."""
    found = part(parent, number, "layer")
    expected = int(np.prod(shape))
    if length(found) != expected:
        message = f"a layer has {length(found):,} numbers; {list(shape)} was expected"
        raise ValueError(message)
    if found.number(4, LINEAR16) != LINEAR16:
        message = f"a layer is encoded by way {found.number(4)}; known is 1, linear in 16 bits"
        raise ValueError(message)
    if max(found.number(1), found.number(2)) >= 1 << 32:
        message = "a layer's bounds are not 32 bits each"
        raise ValueError(message)
    low, high = (np.array(found.number(field), np.uint32).view(np.float32) for field in (1, 2))
    if not abs(float(high) - float(low)) <= LARGEST_SPAN:  # NaN fails every comparison
        message = f"a layer's numbers lie between {low} and {high}"
        raise ValueError(message)
    steps = np.frombuffer(found.bytes(3) or b"", "<u2").astype(np.float32)
    return (low + steps * ((high - low) / np.float32(65535))).reshape(shape)


def written_layer(array: Array) -> bytes:
    """Return a layer of 65,536 steps between the least and the greatest number."""
    low, high = np.float32(array.min()), np.float32(array.max())
    if not float(high) - float(low) <= LARGEST_SPAN:  # NaN fails every comparison
        message = f"a layer's numbers lie between {low} and {high}, which no file of lc0's can hold"
        raise InvalidConfig(message)
    span = (high - low) or np.float32(1)
    steps = np.rint((array - low) / span * 65535).astype("<u2").tobytes()
    least, greatest = (int(bound.view(np.uint32)) for bound in (low, high))
    return encoded([(1, least), (2, greatest), (3, steps)], fixed=(1, 2))


def check_value(answers: int, form: Message) -> None:
    """Refuse a value of another form than the network's format says."""
    if answers != (3 if (form.number(5) or form.number(2, 1)) == 2 else 1):
        message = f"its value is {answers} numbers, which is not what its format says"
        raise ValueError(message)
