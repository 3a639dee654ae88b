"""Damaged files of lc0's beside Google's reader of the format: refused, or the same weights."""

import gzip
import random
import tracemalloc
import zlib

import numpy as np
import pytest

from phasezoo import games, inference, networks
from phasezoo.errors import CheckpointError
from phasezoo.inference.formats import lc0

descriptors = pytest.importorskip("google.protobuf.descriptor_pb2")

SCHEMA = {
    "Layer": "low=1:fixed32 high=2:fixed32 params=3:bytes",
    "Block": "w=1:Layer b=2:Layer means=3:Layer variances=4:Layer scale=5:Layer shift=6:Layer",
    "Squeeze": "w1=1:Layer b1=2:Layer w2=3:Layer b2=4:Layer",
    "Residual": "first=1:Block second=2:Block squeeze=3:Squeeze",
    "Weights": "stem=1:Block residual=2:Residual* moves=3:Block hidden=11:Block value=6:Block "
    "w1=7:Layer b1=8:Layer w2=9:Layer b2=10:Layer",
    "Net": "magic=1:fixed32 weights=10:Weights",
}
"""As much of the format's definition as a tower needs."""


def _reader():
    """Google's class of the format, made of the definition above."""
    from google.protobuf import descriptor_pool, message_factory

    kinds = descriptors.FieldDescriptorProto
    file = descriptors.FileDescriptorProto(name="lc0.proto", package="t", syntax="proto2")
    for name, fields in SCHEMA.items():
        message = file.message_type.add(name=name)
        for text in fields.split():
            label, number, kind = text.replace(":", "=").split("=")
            field = message.field.add(name=label, number=int(number))
            field.label = kinds.LABEL_REPEATED if kind[-1] == "*" else kinds.LABEL_OPTIONAL
            field.type = {"fixed32": kinds.TYPE_FIXED32, "bytes": kinds.TYPE_BYTES}.get(
                kind, kinds.TYPE_MESSAGE
            )
            if field.type == kinds.TYPE_MESSAGE:
                field.type_name = f".t.{kind.rstrip('*')}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("t.Net"))


def _numbers(layer):
    low, high = (np.array(each, np.uint32).view(np.float32) for each in (layer.low, layer.high))
    steps = np.frombuffer(layer.params, "<u2").astype(np.float32)
    return low + steps * ((high - low) / np.float32(65535))


def _layers(net):
    """Layers by the names that the network has for them."""
    weights = net.weights
    yield "body.0.conv.weight", weights.stem.w
    for place, block in enumerate(weights.residual, start=1):
        yield f"body.{place}.branch.0.conv.weight", block.first.w
        yield f"body.{place}.branch.1.norm.running_var", block.second.variances
        yield f"body.{place}.excite.bias", block.squeeze.b2
    yield "policy.hidden.norm.weight", weights.hidden.scale
    yield from (("policy.moves.weight", weights.moves.w), ("policy.moves.bias", weights.moves.b))
    yield from (("value.units.weight", weights.w1), ("value.numbers.bias", weights.b2))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("lc0") / "whole.pb.gz"
    shape = games.make("chess").plane_shape("lc0")
    network = networks.make("lc0-8x2", shape, 4672, seed=1)
    inference.save(network, path, game="chess", planes="lc0")
    return gzip.decompress(path.read_bytes())


def _damaged(data, rng):
    """A copy that is cut off, has other bits, or lost or got some bytes."""
    data, place = bytearray(data), rng.randrange(len(data))
    kind = rng.choice(("cut", "early bits", "bytes", "lost", "more"))
    if kind == "cut":
        del data[place:]
    elif kind == "early bits":
        data[place % 600] ^= 1 << rng.randrange(8)
    elif kind == "bytes":
        for _ in range(rng.choice((1, 3, 20))):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif kind == "lost":
        del data[place : place + rng.choice((1, 2, 7, 100))]
    else:
        data[place:place] = rng.randbytes(rng.choice((1, 2, 9)))
    return bytes(data)


def test_damaged_files_are_refused_or_hold_what_googles_reader_finds(whole):
    reader, rng, read = _reader(), random.Random(1), 0
    for data in (whole, *(_damaged(whole, rng) for _ in range(1000))):
        try:
            found = lc0.read(data, "damaged.pb").weights
        except CheckpointError as error:
            assert "damaged.pb: not a network of lc0" in str(error)  # noqa: PT017
            continue
        read += 1
        for name, layer in _layers(reader.FromString(data)):
            np.testing.assert_array_equal(found[name].reshape(-1), _numbers(layer), name)
    assert 200 < read < 800


def test_every_prefix_of_a_packed_file_and_bytes_after_its_end_are_refused(whole):
    packed = gzip.compress(whole)
    lengths = {*range(40), *range(len(packed) - 20, len(packed))}
    lengths |= set(range(0, len(packed), 997))
    for data in (*(packed[:length] for length in lengths), packed + b"x", packed + packed):
        with pytest.raises(CheckpointError, match=r"cut\.pb\.gz"):
            lc0.read(data, "cut.pb.gz")


def test_files_that_unpack_to_too_much_take_little_memory(monkeypatch):
    monkeypatch.setattr(lc0, "LARGEST_UNPACKED", 1 << 22)
    packing = zlib.compressobj(9, wbits=31)
    parts = [packing.compress(bytes(1 << 20)) for _ in range(200)]
    data = b"".join([*parts, packing.flush()])
    tracemalloc.start()
    with pytest.raises(CheckpointError, match="unpacks to more than 4,194,304 bytes"):
        lc0.read(data, "large.pb.gz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


@pytest.mark.parametrize("ending", [".pb.gz", ".onnx"])
def test_files_that_are_too_large_are_not_read(tmp_path, ending):
    path = tmp_path / f"large{ending}"
    with path.open("wb") as file:
        file.truncate(lc0.LARGEST + 1)
    with pytest.raises(CheckpointError, match=r"large.* has 1,073,741,825 bytes, more than"):
        inference.load(path)
