"""Files of lc0's networks, ``.pb`` and ``.pb.gz`` (``docs/definitions/lc0.md``).

The format is that of lczero-common's ``net.proto``. A tower of convolutions becomes a network
``lc0-CHANNELSxBLOCKS`` of :mod:`phasezoo.networks`, an attention body
``lc0-attention-CHANNELSxBLOCKS``.
"""

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.formats import lc0_attention, lc0_tower
from phasezoo.inference.formats.lc0_layers import Array, read_layers, written_layers
from phasezoo.inference.formats.protobuf import Message, encoded
from phasezoo.specs import Option, options_of

MAGIC = 0x1C0
ENDINGS = (".pb", ".pb.gz")
ONNX_ENDING = ".onnx"

LARGEST, LARGEST_UNPACKED = 1 << 30, 3 << 28
"""Bytes of a file, and of one that was packed; the largest that lc0 published have 2^29."""

STEP = 1 << 14
"""Bytes that are unpacked at once, which bounds memory."""

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


@dataclass
class Lc0File:
    """A network, read.

    Args:
        planes: The plane spec that it reads.
        size: Channels and blocks.
        options: The other options of its network.
        weights: By the names that the network has for them.
        family: Name of its architecture.
    """

    planes: str
    size: tuple[int, int]
    options: dict[str, Any]
    weights: dict[str, Array] = field(default_factory=dict)
    family: str = FAMILY

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
    """Return the options of an architecture that its text need not name."""
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


def _unpacked(data: bytes) -> bytes | bytearray:
    if data[:2] != b"\x1f\x8b":
        return _bounded(data)
    unpacking, found = zlib.decompressobj(wbits=31), bytearray()
    for start in range(0, len(data), STEP):
        found += unpacking.decompress(data[start : start + STEP])
        if len(found) > LARGEST_UNPACKED:
            message = f"it unpacks to more than {LARGEST_UNPACKED:,} bytes"
            raise ValueError(message)
        if unpacking.eof:
            break
    if not unpacking.eof:
        message = "the packed file is cut off"
        raise ValueError(message)
    if unpacking.unused_data or data[start + STEP :]:
        message = "there are bytes after the end of the packed file"
        raise ValueError(message)
    return found


def _read(data: bytes | bytearray) -> Lc0File | Lc0Onnx:
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
    return _network(weights, form, PLANES[inputs])


def _onnx(onnx: Message, planes: str) -> Lc0Onnx:
    model = onnx.bytes(1)
    if model is None:
        message = "its ONNX model is missing"
        raise ValueError(message)
    fields = {"input": 3, "value": 4, "wdl": 5, "policy": 6, "mlh": 7}
    named = {key: bytes(onnx.bytes(number) or b"").decode() for key, number in fields.items()}
    return Lc0Onnx(planes, bytes(model), {key: name for key, name in named.items() if name})


def _network(weights: Message, form: Message, planes: str) -> Lc0File:
    structure = lc0_attention.structure_of(form, weights)
    is_tower, several = structure in TOWERS, structure == lc0_attention.SEVERAL_HEADS
    if is_tower and weights.messages(27):
        message = f"structure {structure} is a tower, and it has encoder layers (field 27)"
        raise ValueError(message)
    size, options = (lc0_tower if is_tower else lc0_attention).read_options(weights, form)
    file = Lc0File(planes, size, options, family=FAMILY if is_tower else ATTENTION)
    _check_sizes(file)
    table = (
        lc0_tower.layers(size, options)
        if is_tower
        else lc0_attention.layers(size, options, weights, several=several)
    )
    file.weights.update(read_layers(weights, table))
    return file


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


def written(file: Lc0File) -> bytes:
    """Return the file of a network, packed by gzip, from which :func:`read` reads it again.

    Each layer's numbers are rounded to 65,536 steps between its least and its greatest, as the
    format has them.
    """
    options, kept = file.options, file.weights
    is_tower, wdl = file.family == FAMILY, options["value"] == "wdl"
    policy = options["policy"] if is_tower else "attention"
    if is_tower:
        structure, table = 4 if options["squeeze"] else 3, lc0_tower.layers(file.size, options)
        oldest = OLDEST_POLICY_READER if policy == "attention" else OLDEST_READER
    else:
        structure, table = lc0_attention.SEVERAL_HEADS, lc0_attention.layers(file.size, options)
        oldest = OLDEST_ATTENTION_READER
    numbers = lc0_attention.numbers_of(options, several=not is_tower)
    fields = written_layers(table, kept, numbers)
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


ONNX_OUTPUTS = {"policy": "policy", "wdl": "wdl", "value": "value", "mlh": "plies_left"}
"""An ONNX model's outputs in a manifest, by what lc0 calls them after ``/output/``."""


def wrapped_onnx(found: Lc0Onnx, shape: tuple[int, int, int]) -> tuple[bytes, dict[str, str]]:
    """Return a model that reads planes of ours and answers our actions, and its tensors' names.

    Args:
        found: The model of lc0's converter.
        shape: Channels, height and width of the planes; 113 channels say how the board is turned.
    """
    from phasezoo.inference.formats.onnx_wrapper import parsed, planes_input, wrapped
    from phasezoo.networks.architectures.lc0_moves import PLANES as CHANNELS, lc0_tables

    model = parsed(found.model)
    planes = planes_input(model.graph, found.tensors.get("input"), (CHANNELS, *shape[1:]))
    outputs = _onnx_outputs(model.graph, found.tensors)
    tables = lc0_tables("classical", turns=shape[0] > CHANNELS)
    return wrapped(model, planes, shape, outputs, tables)


def _onnx_outputs(graph: Any, named: Mapping[str, str]) -> dict[str, str]:
    """Return the outputs' names by what they are."""
    there = [each.name for each in graph.output]
    by_kind = {name.rpartition("/")[2]: name for name in there}
    source = named or by_kind
    outputs = {ONNX_OUTPUTS[kind]: source[kind] for kind in ONNX_OUTPUTS if kind in source}
    missing = [name for name in outputs.values() if name not in there]
    if missing or "policy" not in outputs or not {"wdl", "value"} & outputs.keys():
        message = (
            f"the ONNX model has the outputs {there}; "
            + (f"{missing} are named" if missing else "a policy and a wdl or value are needed")
            + ", by lc0's names /output/policy, /output/wdl, /output/value, /output/mlh"
        )
        raise ValueError(message)
    if "wdl" in outputs:
        outputs.pop("value", None)
    return outputs
