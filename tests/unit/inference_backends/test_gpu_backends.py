"""CUDA graphs and TensorRT: what a CPU can show of them, and the rest where there is a GPU."""

import builtins
import importlib.util

import numpy as np
import pytest
import torch
from saved_networks import save_network

from phasezoo import inference
from phasezoo.errors import InvalidConfig, MissingDependency
from phasezoo.inference.backends import choice as backends
from phasezoo.inference.backends.cuda_graphs import SIZES, GraphedAnswers, padded_size
from phasezoo.inference.backends.torch import MAX_ROWS
from phasezoo.inference.storage.manifest import Manifest


class Graph:
    """A recorded call on the CPU: replaying it makes the same call into the same tensors."""

    replays = 0

    def __init__(self, answers, planes):
        self.answers, self.planes = answers, planes
        self.found = tuple(each.clone() for each in answers(planes))

    def replay(self):
        Graph.replays += 1
        for kept, new in zip(self.found, self.answers(self.planes), strict=True):
            kept.copy_(new)


def recorded(answers, planes):
    graph = Graph(answers, planes)
    return graph, graph.found


def layers(planes):
    return planes.flatten(1) * 2, planes.sum(dim=(1, 2, 3))


def test_batches_are_padded_to_the_next_graph():
    assert [padded_size(rows) for rows in (1, 2, 3, 9, 256, 257, 4096)] == [
        1,
        2,
        4,
        16,
        256,
        512,
        4096,
    ]
    assert SIZES[-1] == MAX_ROWS


def test_answers_are_those_of_the_network_and_ones_own():
    graphed = GraphedAnswers(layers, recorded)
    shown = [torch.rand(rows, 2, 3, 3) for rows in (3, 1, 4, 3, 2)]
    found = [graphed(planes) for planes in shown]  # none may change when the next is made
    for planes, answers in zip(shown, found, strict=True):
        for answer, expected in zip(answers, layers(planes), strict=True):
            torch.testing.assert_close(answer, expected)
    assert len(graphed._recorded) == 3


def test_graphs_need_a_gpu_and_an_uncompiled_network(tmp_path):
    path = save_network(tmp_path / "n", "rise-8x1")
    with pytest.raises(InvalidConfig, match="need a CUDA device, not cpu"):
        inference.load(path, "torch", device="cpu", graphs=True)


def test_missing_tensorrt_says_in_a_line_how_to_get_it(tmp_path, monkeypatch):
    path = save_network(tmp_path / "n", "rise-8x1")
    monkeypatch.setattr(backends, "_is_installed", lambda package: package != "tensorrt")
    with pytest.raises(MissingDependency, match=r"\[tensorrt\].*tensorrt-cu13.*NVIDIA") as told:
        inference.load(path, "tensorrt")
    assert "\n" not in str(told.value)
    with pytest.raises(MissingDependency, match="proprietary"):
        inference.TensorRtEvaluator(Manifest.read(path), b"", tmp_path)


def test_missing_openvino_names_its_extra(tmp_path, monkeypatch):
    path = save_network(tmp_path / "n", "rise-8x1")
    monkeypatch.setattr(backends, "_is_installed", lambda package: package != "openvino")
    with pytest.raises(MissingDependency, match=r"\[openvino\]"):
        inference.load(path, "openvino")


def test_nothing_of_a_backend_is_imported_before_it_is_asked_for(tmp_path, monkeypatch):
    path = save_network(tmp_path / "n", "rise-8x1")
    real = builtins.__import__

    def without(name, *rest, **named):
        assert name.split(".")[0] not in ("tensorrt", "openvino")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    inference.load(path, "onnx", device="cpu")


def planes(rows):
    return np.random.default_rng(rows).random((rows, 52, 8, 8), dtype=np.float32)


GPU = [
    ("torch", "float32", False, 1e-4),
    ("torch", "bfloat16", False, 5e-2),
    ("torch", "float16", False, 3e-2),
    ("torch", "float32", True, 1e-4),
    ("torch", "bfloat16", True, 5e-2),
    ("torch", "float16", True, 3e-2),
    ("tensorrt", "float32", False, 1e-2),
    ("tensorrt", "bfloat16", False, 5e-2),
    ("tensorrt", "float16", False, 3e-2),
]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize(("backend", "dtype", "graphs", "tolerance"), GPU)
def test_on_a_gpu_it_answers_as_torch_does(tmp_path, backend, dtype, graphs, tolerance):
    if backend == "tensorrt" and importlib.util.find_spec("tensorrt") is None:
        pytest.skip("TensorRT is not installed")
    path = save_network(tmp_path / "n", "rise-16x3")
    exact = inference.load(path, "torch", device="cpu")
    for _ in range(2):  # the second time, of an engine that was kept
        found = inference.load(path, backend, device="cuda", dtype=dtype, graphs=graphs)
        for rows in (1, 3, 64, 300):
            one, other = found.evaluate(planes(rows)), exact.evaluate(planes(rows))
            # A mean, because a few rows of a network with large weights double any rounding.
            for name in ("value", "wdl"):
                error = np.abs(getattr(one, name) - getattr(other, name))
                assert error.mean() < tolerance
