"""Folders of networks and gates that come from anybody: nothing in them runs or never ends."""

import json
import os
import shutil
import sys

import pytest

pytest.importorskip("torch")

from phasezoo import gating, inference, networks
from phasezoo.errors import CheckpointError, InvalidGate

PLANTED = """
from pathlib import Path
import torch

Path(__file__).with_name("ran").touch()


class Net(torch.nn.Module):
    pass
"""


@pytest.fixture
def folder(tmp_path):
    made = networks.make("resnet-8x1", (3, 6, 7), 7)
    inference.save(made, tmp_path / "net", game="connect-four")
    return tmp_path / "net"


def changed(folder, **fields):
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


@pytest.mark.parametrize(
    "fields",
    [
        {"network": "mine", "network_factory": "planted:Net"},
        {"network": "planted:Net", "network_factory": None},
        {"network": "planted:Net", "network_options": {"width": 3}, "network_factory": None},
        {"network": "mine", "network_factory": "planted:Net", "network_options": {"phases": 3}},
    ],
)
def test_a_manifest_runs_no_code_of_its_own_folder(folder, monkeypatch, fields):
    (folder / "planted.py").write_text(PLANTED)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", ["", str(folder), *sys.path])
    changed(folder, **fields)
    for backend in ("torch", "onnx"):
        with pytest.raises(CheckpointError, match=r"--plugin|networks\.register"):
            inference.load(folder, backend=backend)
    assert not (folder / "ran").exists()
    assert "planted" not in sys.modules


@pytest.mark.parametrize("what", ["pipe", "device", "folder"])
def test_what_is_no_file_is_refused_and_not_read(folder, what):
    model = folder / "model.safetensors"
    model.unlink()
    {"pipe": os.mkfifo, "device": lambda path: path.symlink_to("/dev/zero"), "folder": os.mkdir}[
        what
    ](model)
    with pytest.raises(CheckpointError, match="not a file"):
        inference.load(folder)


def test_a_gates_folder_holds_plain_files(tmp_path):
    gate = tmp_path / "gate"
    gate.mkdir()
    os.mkfifo(gate / "manifest.json")
    with pytest.raises(InvalidGate, match=r"no manifest\.json"):
        gating.make(f"learned:{gate}")
    shutil.rmtree(gate)
    gate.mkdir()
    record = {"format_version": 1, "kind": "gate", "game": "connect-four", "planes": "v1"}
    more = {"input_shape": [2, 6, 7], "names": ["a", "b"], "network": "mlp-8x1"}
    (gate / "manifest.json").write_text(json.dumps({**record, **more, "files": {}}))
    (gate / "model.safetensors").symlink_to("/dev/zero")
    with pytest.raises(InvalidGate, match=r"not a file|planes"):
        gating.make(f"learned:{gate}")
