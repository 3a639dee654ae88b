"""Networks that are missing, cut off, changed or of another kind are typed errors."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from safetensors.torch import save
from saved_networks import save_network

from phasezoo import inference, networks
from phasezoo.errors import (
    CheckpointError,
    InvalidConfig,
    InvalidGate,
    InvalidNetwork,
    MissingDependency,
)
from phasezoo.gating.learned import GateManifest
from phasezoo.inference.backends import choice as backends
from phasezoo.inference.backends.onnx import OnnxEvaluator
from phasezoo.inference.backends.torch import TorchEvaluator
from phasezoo.inference.storage.files import write_directory, write_file
from phasezoo.inference.storage.manifest import MANIFEST, MODEL, Manifest
from phasezoo.runs import whole
from phasezoo.runs.saved import digest

BACKENDS = ["onnx", "torch"]


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_network(tmp_path_factory.mktemp("pristine") / "network", "rise-8x1", "minimal")


@pytest.fixture
def saved(pristine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / "network"))


def rewrite(directory: Path, **changes: Any) -> None:
    record = json.loads((directory / MANIFEST).read_text())
    record.update(changes)
    (directory / MANIFEST).write_text(json.dumps(record))


def replace_weights(directory: Path, data: bytes) -> None:
    (directory / MODEL).write_bytes(data)
    rewrite(directory, files={MODEL: digest(data)})


def test_places_without_a_network_are_typed_errors(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"no such file or directory.*\.pb\.gz"):
        inference.load(tmp_path / "nowhere")
    with pytest.raises(CheckpointError, match=r"no manifest\.json"):
        inference.load(tmp_path)
    (tmp_path / "model.bin").write_bytes(b"")
    with pytest.raises(CheckpointError, match="not a directory"):
        inference.load(tmp_path / "model.bin")
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(CheckpointError, match="name a network that was saved here by its folder"):
        inference.load(tmp_path / "model.onnx")
    with pytest.raises(CheckpointError, match="cannot be a directory of a network"):
        inference.load(str(tmp_path / ("a" * 300)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_damaged_weights_are_noticed(saved: Path, backend: Any) -> None:
    data = (saved / MODEL).read_bytes()
    for damaged in (data[:-1], data[: len(data) // 2], b"", data + b"\0", flipped(data)):
        (saved / MODEL).write_bytes(damaged)
        with pytest.raises(CheckpointError, match="checksum"):
            inference.load(saved, backend)
    (saved / MODEL).unlink()
    with pytest.raises(CheckpointError, match=MODEL):
        inference.load(saved, backend)


def flipped(data: bytes) -> bytes:
    return data[:-100] + bytes([data[-100] ^ 4]) + data[-99:]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "data",
    [b"", b"\x80\x04K\x01.", b"\xff" * 64, save({"weight": torch.zeros(3)})],
    ids=["empty", "pickle", "noise", "another network"],
)
def test_weights_that_fit_their_checksum_and_nothing_else(
    saved: Path, backend: Any, data: bytes
) -> None:
    replace_weights(saved, data)
    with pytest.raises(CheckpointError, match=MODEL):
        inference.load(saved, backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_weights_of_another_size_are_a_typed_error(saved: Path, backend: Any) -> None:
    other = networks.make("rise-16x1", (12, 8, 8))
    replace_weights(saved, save({k: v.contiguous() for k, v in other.state_dict().items()}))
    with pytest.raises(CheckpointError, match="another network than rise-8x1"):
        inference.load(saved, backend)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format_version": 3}, "format version 3"),
        ({"kind": "games"}, "not the record of a network"),
        ({"game": "checkers"}, "checkers"),
        ({"planes": "v7"}, "v7"),
        ({"planes": "v2"}, "52, 8, 8"),
        ({"num_actions": 4992}, "4992 actions"),
        ({"actions": "planes-76"}, "planes-76"),
        ({"input_shape": [12, 8]}, "input_shape"),
        ({"input_shape": "12x8x8"}, "input_shape"),
        ({"input_shape": [12, 8, True]}, "input_shape"),
        ({"num_actions": True}, "num_actions"),
        ({"files": None}, "files"),
        ({"phase": 2}, "phase"),
        ({"gate": None}, "gate"),
        ({"network": "rise-8"}, "CHANNELSxBLOCKS"),
        ({"network": "alphavile-8x1"}, "alphavile-SIZE"),
    ],
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_manifests_of_something_else_are_typed_errors(
    saved: Path, changes: dict[str, Any], words: str, backend: Any
) -> None:
    rewrite(saved, **changes)
    with pytest.raises(CheckpointError, match=words):
        inference.load(saved, backend)


def test_a_manifest_without_a_field_is_a_typed_error(saved: Path) -> None:
    record = json.loads((saved / MANIFEST).read_text())
    for name in ("game", "planes", "network", "input_shape", "num_actions", "actions"):
        rest = {key: value for key, value in record.items() if key != name}
        (saved / MANIFEST).write_text(json.dumps(rest))
        with pytest.raises(CheckpointError, match=name):
            inference.load(saved)


@pytest.mark.parametrize("text", ["[" * 100_000, f'{{"format_version": {"1" * 5_000}}}'])
@pytest.mark.parametrize(
    ("name", "read", "refusal"),
    [
        (MANIFEST, Manifest.read, CheckpointError),
        ("experts.json", inference.load_experts, CheckpointError),
        (MANIFEST, GateManifest.read, InvalidGate),
    ],
)
def test_json_that_no_parser_takes_is_a_typed_error(
    tmp_path: Path, name: str, read: Any, refusal: Any, text: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(refusal, match=r"too deep|digits"):
        read(tmp_path)


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=80),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=8), inner, max_size=4)
            ),
        ).map(lambda value: json.dumps(value).encode()),
        st.dictionaries(
            st.sampled_from(["format_version", "kind", "game", "planes", "input_shape", "files"]),
            st.none() | st.integers(0, 1) | st.sampled_from(["network", "chess", "v2"]),
        ).map(lambda value: json.dumps({"format_version": 1, "kind": "network", **value}).encode()),
    )
)
def test_no_manifest_breaks_the_reader(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    directory = tmp_path_factory.getbasetemp() / "garbage"
    directory.mkdir(exist_ok=True)
    (directory / MANIFEST).write_bytes(data)
    with pytest.raises(CheckpointError):
        Manifest.read(directory)


def test_the_onnx_file_is_made_once(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inference.load(saved, "onnx")
    (cached,) = saved.glob("*.onnx")
    from phasezoo.inference.backends import onnx_export

    monkeypatch.setattr(onnx_export, "export_onnx", lambda *_: pytest.fail("exported again"))
    inference.load(saved, "onnx")
    monkeypatch.undo()
    whole = cached.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", flipped(whole)):
        cached.write_bytes(damaged)
        evaluator = inference.load(saved, "onnx")  # a cache that is not whole is made anew
        assert evaluator.evaluate(np.zeros((1, 12, 8, 8), np.float32)).value is not None
        assert cached.read_bytes() == whole


def test_new_weights_have_a_new_onnx_file(saved: Path, tmp_path: Path) -> None:
    shown = np.random.default_rng(1).random((3, 12, 8, 8), dtype=np.float32)
    first = inference.load(saved, "onnx").evaluate(shown)
    other = save_network(tmp_path / "other", "rise-8x1", "minimal", seed=2)
    replace_weights(saved, (other / MODEL).read_bytes())
    second = inference.load(saved, "onnx").evaluate(shown)
    expected = inference.load(other, "onnx").evaluate(shown)
    assert not np.allclose(first.policy_logits, second.policy_logits, atol=1e-3)
    np.testing.assert_allclose(second.policy_logits, expected.policy_logits)


def test_a_network_on_a_read_only_disk_is_used_all_the_same(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: BinaryIO) -> None:
        raise OSError(30, "Read-only file system", file.name)

    monkeypatch.setattr(whole, "write_through", refuse)
    evaluator = inference.load(saved, "onnx")
    assert evaluator.evaluate(np.zeros((1, 12, 8, 8), np.float32)).value is not None
    assert not list(saved.glob("*.onnx*"))


def test_auto_is_onnx_on_a_cpu(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(inference.load(saved, device="cpu"), OnnxEvaluator)
    if not torch.cuda.is_available():
        assert isinstance(inference.load(saved), OnnxEvaluator)
    monkeypatch.setattr(backends, "_is_installed", lambda package: package != "onnxruntime")
    assert isinstance(inference.load(saved, device="cpu"), TorchEvaluator)
    with pytest.raises(MissingDependency, match=r"\[onnx\]"):
        inference.load(saved, "onnx")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"backend": "jax"}, "expected one of 'auto', 'onnx'"),
        ({"backend": "onnx", "device": "mps"}, "runs on cpu or cuda"),
        ({"backend": "onnx", "dtype": "bfloat16"}, "in float32, not on any device in bfloat16"),
        ({"backend": "openvino", "device": "cuda"}, "runs on cpu in float32 or bfloat16"),
        ({"backend": "openvino", "dtype": "float16"}, "not on any device in float16"),
        ({"backend": "tensorrt", "device": "cpu"}, "runs on cuda"),
        ({"backend": "onnx", "dtype": "int8"}, "dtype='int8': expected one of"),
        ({"backend": "onnx", "compiled": True}, "compiled; give backend='torch'"),
        ({"backend": "openvino", "graphs": True}, "graphs; give backend='torch'"),
        ({"backend": "torch", "device": "cpu", "graphs": True}, "CUDA graphs need"),
        ({"backend": "torch", "device": "warp"}, "warp"),
        ({"backend": "auto", "device": "warp"}, "warp"),
        ({"backend": "torch", "dtype": "float8"}, "float8"),
    ],
)
def test_options_that_do_not_go_together(saved: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidConfig, match=words):
        inference.load(saved, **options)


def test_something_that_is_no_onnx_model(saved: Path, tmp_path: Path) -> None:
    manifest = Manifest.read(saved)
    with pytest.raises(CheckpointError, match="not an ONNX model"):
        OnnxEvaluator(manifest, b"nothing of the kind")
    with pytest.raises(CheckpointError, match=r"gone\.onnx"):
        OnnxEvaluator(manifest, tmp_path / "gone.onnx")


def test_files_are_whole_or_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file(tmp_path / "a", b"old")
    write_directory(tmp_path / "d", {"x": b"old", "y": b"old"})
    write_through, written = whole.write_through, []

    def full(file: BinaryIO) -> None:
        written.append(Path(file.name).name)
        if len(written) % 2 == 0 or written[-1].startswith(".a."):
            file.truncate(1)
            raise OSError(28, "No space left on device", file.name)
        write_through(file)

    monkeypatch.setattr(whole, "write_through", full)
    with pytest.raises(CheckpointError, match="No space left"):
        write_file(tmp_path / "a", b"new")
    written.clear()
    with pytest.raises(CheckpointError, match="No space left"):
        write_directory(tmp_path / "d", {"x": b"new", "y": b"new"})
    monkeypatch.undo()
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(p.read_bytes() for p in (tmp_path / "d").iterdir()) == [b"old", b"old"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "d"]
    write_directory(tmp_path / "d", {"z": b"new"})
    assert [path.name for path in (tmp_path / "d").iterdir()] == ["z"]


KILLED = """
import os, signal, sys
from pathlib import Path
from phasezoo.inference.storage.files import write_directory
before, when, rename = 0, int(sys.argv[2]), Path.replace
def renaming(self, target):
    global before
    if before == when:
        os.kill(os.getpid(), signal.SIGKILL)
    before += 1
    return rename(self, target)
Path.replace = renaming
write_directory(Path(sys.argv[1]), {"x": b"new"})
"""


@pytest.mark.parametrize("renamed", [0, 1])
def test_a_folder_that_was_there_survives_a_kill(tmp_path: Path, renamed: int) -> None:
    write_directory(tmp_path / "d", {"x": b"old"})
    words = [sys.executable, "-c", KILLED, str(tmp_path / "d"), str(renamed)]
    done = subprocess.run(words, check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "d").exists() == (renamed == 0)
    whole.recover(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["d"]
    assert (tmp_path / "d" / "x").read_bytes() == b"old"


def test_what_a_kill_left_is_cleared_by_the_next_who_writes_there(tmp_path: Path) -> None:
    for left in (".d.999999999.old", ".d.999999999.partial", f".d.{os.getpid()}.old"):
        (tmp_path / left).mkdir()
        (tmp_path / left / "x").write_bytes(b"old")
    write_directory(tmp_path / "d", {"x": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["d"]
    assert (tmp_path / "d" / "x").read_bytes() == b"new"
    (tmp_path / "link").symlink_to(tmp_path / "d")
    write_directory(tmp_path / "link", {"x": b"newer"})
    assert (tmp_path / "d" / "x").read_bytes() == b"newer"
    (tmp_path / "file").write_bytes(b"text")
    with pytest.raises(CheckpointError, match="Not a directory"):
        write_directory(tmp_path / "file", {"x": b"new"})
    assert (tmp_path / "file").read_bytes() == b"text"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "file", "link"]


def test_a_network_that_an_evaluator_took_over_is_not_saved_as_what_it_was(tmp_path: Path) -> None:
    made = networks.make("resnet-8x1", (3, 6, 7), 7)
    evaluator = TorchEvaluator(made, game="connect-four")
    inference.save(evaluator, tmp_path / "net")  # which keeps the weights as they were
    before = (tmp_path / "net" / MODEL).read_bytes()
    again = TorchEvaluator(made, game="connect-four")
    for folded, game in ((made, "connect-four"), (again, None)):
        with pytest.raises(InvalidNetwork, match="are no longer those of resnet-8x1"):
            inference.save(folded, tmp_path / "net", game=game, overwrite=True)
    assert (tmp_path / "net" / MODEL).read_bytes() == before
    inference.load(tmp_path / "net")


def test_experts_whose_gate_was_replaced_say_so(tmp_path):
    experts = inference.Experts(
        tmp_path, game="connect-four", gate="plies:5,9", experts={"up to 8": "early"}
    )
    with pytest.raises(CheckpointError, match=r"'up to 8'.*up to 5, 6–9, over 9 now: it was"):
        experts.mixture()
