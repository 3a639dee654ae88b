"""Files of lc0's networks, ``.pb`` and ``.pb.gz`` (``docs/definitions/lc0.md``).

The format is that of lczero-common's ``net.proto``. A tower of convolutions becomes a network
``lc0-CHANNELSxBLOCKS`` of :mod:`phasezoo.networks`, an attention body
``lc0-attention-CHANNELSxBLOCKS``.
"""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.formats import lc0_attention
from phasezoo.inference.formats.lc0_layers import Array, layer, length, part, written_layer
from phasezoo.inference.formats.protobuf import Message, encoded
from phasezoo.specs import Option, options_of

MAGIC = 0x1C0
ENDINGS = (".pb", ".pb.gz")
ONNX_ENDING = ".onnx"

LARGEST = 1 << 30
"""Bytes that a file may hold unpacked; the largest that lc0 published are half as large."""

PLANES = {1: "lc0", 2: "lc0-castling", 3: "lc0-canonical", 4: "lc0-canonical-hectoplies",
          5: "lc0-canonical-v2"}  # fmt: skip
"""Plane specs by the number of the input format."""

FAMILY, ATTENTION = "lc0", "lc0-attention"
"""Networks that are towers of convolutions, and attention bodies."""

GAME = "chess"
TOWERS = (1, 2, 3, 4)
"""Numbers of network structures that are towers of convolutions."""

OLDEST_READER, OLDEST_POLICY_READER, OLDEST_ATTENTION_READER = 23, 29, 31
"""Versions 0.x of lc0 from which on files are read: towers, those with an attention policy, and
attention bodies."""

KNOWN = {
    2: ("output format", (1, 2)),
    4: ("policy format", (0, 1, 2, 3)),
    5: ("value format", (0, 1, 2)),
    6: ("moves-left format", (0, 1)),
    7: ("activation", (0, 1)),
}
"""Known values of the other parts, by the number of their field; 0 says nothing."""

SQUEEZED = (2, 4)
"""Numbers of network structures whose blocks have squeeze-and-excitation."""

EPSILON = 1e-5
"""Term that the batch norms of both programs add to a variance."""


@dataclass
class Lc0File:
    """A network, read.

    Args:
        planes: The plane spec that it reads.
        size: Channels and blocks.
        options: The other options of its network.
        family: Name of its architecture.
        weights: By the names that the network has for them.
    """

    planes: str
    size: tuple[int, int]
    options: dict[str, Any]
    family: str = FAMILY
    weights: dict[str, Array] = field(default_factory=dict)

    @property
    def network(self) -> str:
        """Name of the network."""
        return f"{self.family}-{self.size[0]}x{self.size[1]}"

    @property
    def value_kind(self) -> Literal["wdl", "value"]:
        """Form of the value."""
        return "wdl" if self.options["value"] == "wdl" else "value"

    @property
    def parameters(self) -> int:
        """How many numbers training adjusts."""
        kept = ("running_mean", "running_var", "num_batches_tracked")
        return sum(a.size for name, a in self.weights.items() if not name.endswith(kept))


@dataclass(frozen=True)
class Lc0Onnx:
    """An ONNX model of lc0's converter, as a file of its own or in place of weights.

    Args:
        planes: The plane spec that it reads.
        model: Its bytes.
        tensors: What it calls its ``input``, ``policy``, ``wdl``, ``value`` and ``mlh``; empty: as
            lc0 does.
    """

    planes: str
    model: bytes
    tensors: dict[str, str] = field(default_factory=dict)


def default_options(family: str = FAMILY) -> dict[str, Any]:
    """Return the options of an architecture that its text need not name.

    Args:
        family: Its name.
    """
    return {o.name: o.default for o in _signature(family).values() if not o.is_required}


def _signature(family: str) -> Mapping[str, Option]:
    from phasezoo.networks.catalogue import FAMILIES

    return options_of(FAMILIES[family]).by_name


def is_lc0(path: Path) -> bool:
    """Return whether the file's name has the endings of this format."""
    return path.name.lower().endswith(ENDINGS)


def is_readable(path: Path) -> bool:
    """Return whether :func:`read` reads such a file; ONNX models of lc0's among them."""
    return is_lc0(path) or path.name.lower().endswith(ONNX_ENDING)


def read(data: bytes, where: str) -> Lc0File | Lc0Onnx:
    """Read a file of lc0's; one that ends with ``.onnx`` is a model for the usual planes.

    Args:
        data: Its bytes, packed by gzip or not.
        where: How errors call it.

    Raises:
        CheckpointError: It is cut off, of another format, or has parts that are not known here.
    """
    is_onnx = where.lower().endswith(ONNX_ENDING)
    try:
        return Lc0Onnx(PLANES[1], _bounded(data)) if is_onnx else _read(_unpacked(data))
    except (ValueError, zlib.error) as error:
        message = f"{where}: not a network of lc0 that can be read here ({error})"
        raise CheckpointError(message) from error


def _bounded(data: bytes) -> bytes:
    if len(data) > LARGEST:
        message = f"it has {len(data):,} bytes, more than {LARGEST:,}"
        raise ValueError(message)
    return data


def _unpacked(data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return _bounded(data)
    unpacking = zlib.decompressobj(wbits=31)
    found = unpacking.decompress(data, LARGEST)
    if unpacking.unconsumed_tail:
        message = f"it unpacks to more than {LARGEST:,} bytes"
        raise ValueError(message)
    if not unpacking.eof:
        message = "the packed file is cut off"
        raise ValueError(message)
    return found


def _read(data: bytes) -> Lc0File | Lc0Onnx:
    net = Message(memoryview(data))
    if net.number(1) != MAGIC:
        message = f"it begins with {net.number(1):#x} and not with {MAGIC:#x}: another kind of file"
        raise ValueError(message)
    described = net.message(4) or Message(memoryview(b""))
    form = described.message(2) or Message(memoryview(b""))
    inputs, structure = form.number(1, 1), form.number(3, 1)
    onnx = net.message(11)
    if onnx is None and structure not in (*TOWERS, *lc0_attention.STRUCTURES):
        message = (
            f"structure {structure} is not known; known are towers of convolutions, {TOWERS}, and "
            f"attention bodies, {lc0_attention.STRUCTURES}"
        )
        raise ValueError(message)
    for number, (what, known) in KNOWN.items():
        if form.number(number, known[0]) not in known:
            message = f"{what} {form.number(number)} is not known; known are {known}"
            raise ValueError(message)
    if inputs not in PLANES:
        message = f"input format {inputs} is not known; known are {', '.join(map(str, PLANES))}"
        raise ValueError(message)
    if described.number(1, 1) != 1:
        message = f"weights are encoded by way {described.number(1)}; known is 1, linear in 16 bits"
        raise ValueError(message)
    if onnx is not None:
        return _onnx(onnx, PLANES[inputs])
    weights = net.message(10)
    if weights is None:
        message = "it has no weights"
        raise ValueError(message)
    is_tower = lc0_attention.structure_of(form, weights) in TOWERS
    return (_tower if is_tower else _attention)(weights, form, PLANES[inputs])


def _onnx(onnx: Message, planes: str) -> Lc0Onnx:
    model = onnx.bytes(1)
    if model is None:
        message = "its ONNX model is missing"
        raise ValueError(message)
    fields = {"input": 3, "value": 4, "wdl": 5, "policy": 6, "mlh": 7}
    named = {key: bytes(onnx.bytes(number) or b"").decode() for key, number in fields.items()}
    return Lc0Onnx(planes, bytes(model), {key: name for key, name in named.items() if name})


def _attention(weights: Message, form: Message, planes: str) -> Lc0File:
    size, options = lc0_attention.read_options(weights, form)
    _check_value(3 if options["value"] == "wdl" else 1, form)
    file = Lc0File(planes, size, options, ATTENTION)
    _check_sizes(file)
    several = lc0_attention.structure_of(form, weights) == lc0_attention.SEVERAL_HEADS
    table = lc0_attention.layers(size, options, weights, several=several)
    file.weights.update(lc0_attention.read_layers(weights, table))
    return file


def _check_value(answers: int, form: Message) -> None:
    if answers != (3 if (form.number(5) or form.number(2, 1)) == 2 else 1):
        message = f"its value is {answers} numbers, which is not what its format says"
        raise ValueError(message)


def _check_sizes(file: Lc0File) -> None:
    """Refuse sizes that no network of the architecture has, before its layers are read."""
    signature = _signature(file.family)
    values = {"channels": file.size[0], "blocks": file.size[1], **file.options}
    for name, value in values.items():
        try:
            signature[name].check(value)
        except InvalidConfig as error:
            message = f"no network {file.network} can have it: {error}"
            raise ValueError(message) from error


def _tower(weights: Message, form: Message, planes: str) -> Lc0File:
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
    _check_value(answers, form)
    options: dict[str, Any] = {
        "squeeze": squeeze,
        "activation": "mish" if form.number(7) == 1 else "relu",
        "policy": policy,
        "value": "wdl" if answers == 3 else "mse",
        "value_channels": _outputs(value),
        "value_units": length(part(weights, 8, "value")),
        "moves_left": 0,
    }
    file = Lc0File(planes, (channels, len(blocks)), options)
    kept = file.weights
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
    return file


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


def written(file: Lc0File) -> bytes:
    """Return the file of a network, packed by gzip, from which :func:`read` reads it again.

    Each layer's numbers are rounded to 65,536 steps between its least and its greatest, as the
    format has them.
    """
    options, kept = file.options, file.weights
    is_tower, wdl = file.family == FAMILY, options["value"] == "wdl"
    policy = options["policy"] if is_tower else "attention"
    if is_tower:
        structure, fields = 4 if options["squeeze"] else 3, _written_tower(file)
        oldest = OLDEST_POLICY_READER if policy == "attention" else OLDEST_READER
    else:
        table = lc0_attention.layers(file.size, options)
        structure, oldest = lc0_attention.SEVERAL_HEADS, OLDEST_ATTENTION_READER
        fields = [*lc0_attention.written_layers(table, kept), (28, options["heads"])]
    inputs = next(number for number, planes in PLANES.items() if planes == file.planes)
    form = encoded([
        (1, inputs), (2, 1 + wdl), (3, structure),
        (4, 1 + ("classical", "convolution", "attention").index(policy)), (5, 1 + wdl),
        (6, int(options["moves_left"] > 0)), (7, int(options["activation"] == "mish")),
        *([] if is_tower else lc0_attention.written_format(options)),
    ])  # fmt: skip
    described = encoded([(1, 1), (2, form)])
    reader = encoded([(1, 0), (2, oldest), (3, 0)])
    parts = [(3, reader), (4, described), (10, encoded(fields))]
    return gzip.compress(encoded([(1, MAGIC), *parts], fixed=(1,)), mtime=0)


def _written_tower(file: Lc0File) -> list[tuple[int, bytes]]:
    options, kept = file.options, file.weights
    squeeze, left = options["squeeze"], options["moves_left"]
    fields = [(1, _written_block(kept, "body.0"))]
    for place in range(1, file.size[1] + 1):
        name = f"body.{place}"
        block = [(number, _written_block(kept, f"{name}.branch.{number - 1}")) for number in (1, 2)]
        if squeeze:
            layers = [*_written_linear(kept, f"{name}.squeeze", 1),
                      *_written_linear(kept, f"{name}.excite", 3)]  # fmt: skip
            block.append((3, encoded(layers)))
        fields.append((2, encoded(block)))
    if options["policy"] == "attention":
        table = lc0_attention.policy_layers(file.size[0], options, None, several=False)
        fields += lc0_attention.written_layers(table, kept)
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


def _written_block(kept: dict[str, Array], name: str) -> bytes:
    norm = [
        kept[f"{name}.norm.{part}"] for part in ("running_mean", "running_var", "weight", "bias")
    ]
    arrays = (kept[f"{name}.conv.weight"], *norm)
    return encoded(list(zip((1, 3, 4, 5, 6), map(written_layer, arrays), strict=True)))


def _written_linear(kept: dict[str, Array], name: str, first: int) -> list[tuple[int, bytes]]:
    return [(first + place, written_layer(kept[f"{name}.{part}"]))
            for place, part in enumerate(("weight", "bias"))]  # fmt: skip
