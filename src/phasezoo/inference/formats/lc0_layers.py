"""The layers of lc0's files: numbers of 16 bits each."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidConfig
from phasezoo.inference.formats.protobuf import Message, encoded

LINEAR16 = 1
"""Encoding of layers as 16 bits between their least and their greatest number."""

LARGEST_SPAN = 1e38
"""Between the least and the greatest number of a layer; beyond it 32 bits overflow."""

Array: TypeAlias = npt.NDArray[np.float32]


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
