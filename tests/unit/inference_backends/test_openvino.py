"""OpenVINO gives the numbers of torch, from any thread, and never those of another format."""

import importlib.util
import math
import os
import pickle
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from saved_networks import save_network

if importlib.util.find_spec("openvino") is None:  # importing it here would report that
    pytest.skip("OpenVINO is not installed: extra openvino", allow_module_level=True)

from phasezoo import games, inference, networks
from phasezoo.errors import CheckpointError, InvalidConfig, InvalidState
from phasezoo.inference.backends import openvino
from phasezoo.inference.backends.openvino import OpenVinoEvaluator
from phasezoo.inference.storage.manifest import Manifest

SIZES = (1, 2, 3, 9, 33, 70)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_network(tmp_path_factory.mktemp("network") / "rise")


@pytest.fixture(scope="module")
def evaluator(saved):
    evaluator = inference.load(saved, "openvino", threads=2)
    yield evaluator
    evaluator.close()


def test_a_network_of_dense_layers_answers_one_row(tmp_path):
    folder = save_network(tmp_path / "mlp", "mlp-32x2", "default", variant="connect-four",
                          gate="plies:8", phase="up to 8")  # fmt: skip
    rows = np.random.default_rng(1).random((33, 3, 6, 7), dtype=np.float32)
    expected = inference.load(folder, "torch").evaluate(rows)
    found = inference.load(folder, "openvino", threads=1)
    for number in (1, 2, 32, 33):
        logits = found.evaluate(rows[:number]).policy_logits
        np.testing.assert_allclose(logits, expected.policy_logits[:number], atol=1e-4)
    found.close()


def planes(rows, seed=3):
    return np.random.default_rng(seed).random((rows, 52, 8, 8), dtype=np.float32)


def assert_same(found, expected):
    assert np.abs(expected.policy_logits).max() > 1
    for field in ("policy_logits", "wdl", "value"):
        given = getattr(found, field)
        assert given.dtype == np.float32
        np.testing.assert_allclose(given, getattr(expected, field), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("rows", SIZES)
def test_it_answers_as_torch_does(evaluator, saved, rows):
    torch = inference.load(saved, "torch", device="cpu")
    assert_same(evaluator.evaluate(planes(rows)), torch.evaluate(planes(rows)))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("variant", ["connect-four", "pommerman-ffa"])
def test_of_other_games_and_packed_planes(tmp_path, variant, packed):
    game = games.make(variant)
    path = save_network(
        tmp_path / "n", "rise-8x1", game.default_planes, variant=variant, gate="none", phase=None
    )
    if packed and game.plane_layout() is None:
        pytest.skip("these planes cannot be packed")
    found, expected = (
        inference.load(path, backend, device="cpu", threads=2, packed=packed)
        for backend in ("openvino", "torch")
    )
    shown = games.encode([game.initial_state(seed=seed) for seed in range(5)])
    one, other = found.evaluate(shown), expected.evaluate(shown)
    np.testing.assert_allclose(one.policy_logits, other.policy_logits, atol=1e-4)
    np.testing.assert_allclose(one.value, other.value, atol=1e-4)


def test_many_threads_get_the_answers_of_one(evaluator):
    shown = [planes(SIZES[i % len(SIZES)], seed=i) for i in range(12)]
    expected = [evaluator.evaluate(each) for each in shown]
    wrong, ready = [], threading.Barrier(8)

    def ask(first):
        ready.wait()
        for turn in range(2 * len(shown)):
            index = (first + turn) % len(shown)
            answer = evaluator.evaluate(shown[index])
            if not np.allclose(answer.policy_logits, expected[index].policy_logits, atol=1e-5):
                wrong.append(index)

    asking = [threading.Thread(target=ask, args=(5 * number,)) for number in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in asking)
    assert wrong == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the exporter
def test_a_model_of_fixed_size_is_padded_and_the_rows_are_counted(tmp_path):
    import torch

    class Small(torch.nn.Module):
        def forward(self, planes):
            flat = planes.flatten(1)
            return flat[:, :7] * 3, flat.sum(dim=1).tanh()

    torch.onnx.export(Small(), torch.zeros(4, 3, 6, 7), tmp_path / "m.onnx", dynamo=False,
                      input_names=["p"], output_names=["policy", "value"])  # fmt: skip
    plain = inference.OnnxEvaluator.from_file(
        tmp_path / "m.onnx", game="connect-four", policy="policy", value="value"
    )
    fixed = OpenVinoEvaluator(plain.manifest, tmp_path / "m.onnx", threads=2)
    shown = np.random.default_rng(1).random((9, 3, 6, 7), dtype=np.float32) / 40
    found = fixed.evaluate(shown)
    assert found.spent is not None
    assert (found.spent.rows, found.spent.padded_rows) == (9, 3)
    np.testing.assert_allclose(found.value, plain.evaluate(shown).value, atol=1e-5)
    np.testing.assert_allclose(found.policy_logits, plain.evaluate(shown).policy_logits, atol=1e-5)


def test_its_plies_are_those_of_torch(tmp_path):
    path = save_network(tmp_path / "n", "rise-8x1:value=wdlp")
    found, expected = (
        inference.load(path, backend, device="cpu") for backend in ("openvino", "torch")
    )
    np.testing.assert_allclose(
        found.evaluate(planes(5)).plies_left, expected.evaluate(planes(5)).plies_left, atol=1e-3
    )


def test_a_format_that_the_cpu_lacks_is_refused_and_not_replaced(saved, monkeypatch):
    class Core:
        def get_property(self, device, name):
            return ["FP32"]

    monkeypatch.setattr(openvino.openvino, "Core", Core)
    with pytest.raises(InvalidConfig, match="no instructions for it here"):
        inference.load(saved, "openvino", dtype="bfloat16")


def test_a_format_is_tried_by_another_process(monkeypatch):
    assert openvino._trial("f32") is None
    openvino._trial.cache_clear()
    monkeypatch.setattr(openvino, "_TRIAL", "import os; os.kill(os.getpid(), 4)")
    assert openvino._trial("bf16") == "was ended by SIGILL"
    openvino._trial.cache_clear()


def test_lower_precision_stays_close_where_it_works(saved, evaluator):
    can = openvino.openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    if "BF16" not in can or openvino._trial("bf16") is not None:
        with pytest.raises(InvalidConfig, match="use float32"):
            inference.load(saved, "openvino", dtype="bfloat16")
        return
    rough = inference.load(saved, "openvino", dtype="bfloat16").evaluate(planes(50))
    assert np.abs(rough.value - evaluator.evaluate(planes(50)).value).max() < 0.1


def test_once_closed_it_says_so(saved):
    evaluator = inference.load(saved, "openvino", threads=1)
    evaluator.evaluate(planes(1))
    before = {thread.name for thread in threading.enumerate()}
    evaluator.close()
    evaluator.close()
    with pytest.raises(InvalidState, match="was closed"):
        evaluator.evaluate(planes(40))
    assert before >= {thread.name for thread in threading.enumerate()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are spawned here")
def test_a_forked_process_is_told_instead_of_waiting_for_ever(evaluator):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            evaluator.evaluate(planes(40))
        except InvalidState as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        assert "forked" in told.read()
    os.waitpid(child, 0)


def test_a_copy_is_loaded_again(evaluator):
    again = pickle.loads(pickle.dumps(evaluator))
    assert isinstance(again, OpenVinoEvaluator)
    assert_same(again.evaluate(planes(3)), evaluator.evaluate(planes(3)))


def test_what_is_no_model_is_a_typed_error(saved, tmp_path):
    manifest = Manifest.read(saved)
    for model in (b"nothing of the kind", tmp_path / "gone.onnx"):
        with pytest.raises(CheckpointError, match="not an ONNX model of OpenVINO"):
            OpenVinoEvaluator(manifest, model)
    with pytest.raises(InvalidConfig, match="threads=0"):
        OpenVinoEvaluator(manifest, b"", threads=0)


def test_a_weight_that_is_no_number_is_refused(tmp_path):
    """It answers plausible values, where torch and ONNX Runtime answer NaN, which is refused."""
    made = networks.make("resnet-8x1", (3, 6, 7), 7)
    with torch.no_grad():
        next(made.parameters())[0] = math.nan
    inference.save(made, tmp_path / "net", game="connect-four")
    with pytest.raises(CheckpointError, match="a weight is not a number"):
        inference.load(tmp_path / "net", "openvino")


def test_it_reports_nothing_to_its_makers():
    assert "openvino" in sys.modules
    assert not [name for name in sys.modules if name.startswith("openvino_telemetry")]
    assert Path(openvino.__file__).name == "openvino.py"
