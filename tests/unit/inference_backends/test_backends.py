"""Torch and ONNX Runtime give the same numbers, however a batch is cut up."""

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from saved_networks import save_network

from phasezoo import games, inference, networks
from phasezoo.errors import InvalidArray, InvalidConfig
from phasezoo.inference import NetworkEvaluator, StateBatch, evaluate_leaves
from phasezoo.inference.backends.choice import _has_driver
from phasezoo.inference.backends.onnx import KEPT_BUFFERS, MAX_ROWS, OnnxEvaluator
from phasezoo.inference.backends.torch import TorchEvaluator
from phasezoo.inference.counts import Counts
from phasezoo.inference.storage.weights import build_network
from phasezoo.networks import precision

TOLERANCE = 1e-4
"""What the two backends may differ by."""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_network(tmp_path_factory.mktemp("network") / "rise")


def positions(rows: int, planes: str = "v2") -> npt.NDArray[np.float32]:
    """Planes along random games."""
    rng = np.random.default_rng(rows)
    states = []
    state = games.make("chess").initial_state()
    while len(states) < rows:
        states.append(state)
        state = state.play(rng.choice(state.legal_actions))
        if state.is_terminal:
            state = games.make("chess").initial_state()
    return np.asarray(games.encode(states, planes))


@pytest.mark.parametrize("name", ["rise-16x3", "rise-32x4", "risev2-16x3", "resnet-16x2"])
@pytest.mark.parametrize("planes", ["v2", "minimal"])
def test_backends_agree(tmp_path: Path, name: str, planes: str) -> None:
    path = save_network(tmp_path / "network", name, planes)
    one, other = inference.load(path, "onnx"), inference.load(path, "torch", device="cpu")
    assert isinstance(one, OnnxEvaluator)
    assert isinstance(other, TorchEvaluator)
    shown = positions(100, planes)
    first, second = one.evaluate(shown), other.evaluate(shown)
    assert np.abs(second.policy_logits).max() > 1
    for field in ("policy_logits", "wdl", "value"):
        np.testing.assert_allclose(
            getattr(first, field), getattr(second, field), atol=TOLERANCE, rtol=TOLERANCE
        )


def test_answers_are_those_of_the_network_itself(saved: Path) -> None:
    evaluator = inference.load(saved, "onnx")
    data = evaluator.manifest.read_bytes(saved)
    network = build_network(evaluator.manifest, data, "test").eval()
    shown = positions(20)
    with torch.no_grad():
        output = network(torch.from_numpy(shown))
    answer = evaluator.evaluate(shown)
    assert answer.wdl is not None
    np.testing.assert_allclose(answer.policy_logits, output.policy_logits, atol=TOLERANCE)
    np.testing.assert_allclose(answer.wdl, output.wdl_logits.softmax(1), atol=TOLERANCE)
    np.testing.assert_allclose(answer.value, output.value(), atol=TOLERANCE)
    np.testing.assert_allclose(answer.wdl.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("backend", ["onnx", "torch"])
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_do_not_depend_on_their_batch(saved: Path, backend: str, threads: int) -> None:
    evaluator = inference.load(saved, backend, threads=threads)
    shown = positions(2 * MAX_ROWS + 5)
    whole = evaluator.evaluate(shown)
    for rows in (1, 2, 9, MAX_ROWS, MAX_ROWS + 1, len(shown)):
        part = evaluator.evaluate(shown[-rows:])
        for field in ("policy_logits", "wdl", "value"):
            given, expected = getattr(part, field), getattr(whole, field)[-rows:]
            assert given.shape == expected.shape
            np.testing.assert_allclose(given, expected, atol=3e-5)


@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_an_answer_stays_what_it_was(saved: Path, backend: str) -> None:
    evaluator = inference.load(saved, backend)
    shown = positions(12)
    kept = [evaluator.evaluate(shown[i : i + 2]) for i in range(0, 12, 2)]
    copies = [answer.policy_logits.copy() for answer in kept]
    views = [answer.policy_logits[:1, :5] for answer in kept]
    del kept[0], kept[2]
    for i in range(0, 12, 2):
        evaluator.evaluate(shown[i : i + 2])
    for answer, copy in zip(kept, [copies[1], copies[2], *copies[4:]], strict=True):
        np.testing.assert_array_equal(answer.policy_logits, copy)
    for view, copy in zip(views, copies, strict=True):
        np.testing.assert_array_equal(view, copy[:1, :5])


def test_memory_of_answers_is_used_again(saved: Path) -> None:
    evaluator = inference.load(saved, "onnx", threads=1)
    assert isinstance(evaluator, OnnxEvaluator)
    shown = positions(4)
    places = set()
    for _ in range(20):
        answer = evaluator.evaluate(shown)
        places.add(answer.policy_logits.ctypes.data)
        del answer
    assert len(places) == 1
    held = [evaluator.evaluate(shown) for _ in range(3 * KEPT_BUFFERS)]
    assert len({answer.policy_logits.ctypes.data for answer in held}) == len(held)
    assert len(evaluator._kept.arrays[0]) <= KEPT_BUFFERS


def test_several_threads_may_ask_at_once(saved: Path) -> None:
    evaluator = inference.load(saved, "onnx", threads=2)
    shown = positions(60)
    expected = evaluator.evaluate(shown)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: evaluator.evaluate(shown), range(8)))
    for answer in answers:
        np.testing.assert_allclose(answer.policy_logits, expected.policy_logits, atol=1e-5)
        np.testing.assert_allclose(answer.wdl, expected.wdl, atol=1e-5)


@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_any_layout_of_planes_is_taken(saved: Path, backend: str) -> None:
    evaluator = inference.load(saved, backend)
    shown = positions(6)
    expected = evaluator.evaluate(shown).value
    frozen = shown.copy()
    frozen.flags.writeable = False
    for planes in (frozen, shown.astype(np.float64), np.asfortranarray(shown)):
        np.testing.assert_allclose(evaluator.evaluate(planes).value, expected, atol=1e-5)
    np.testing.assert_allclose(evaluator.evaluate(shown[::2]).value, expected[::2], atol=1e-5)


@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_no_rows_have_no_answers(saved: Path, backend: str) -> None:
    answer = inference.load(saved, backend).evaluate(positions(1)[:0])
    assert answer.policy_logits is not None
    assert answer.wdl is not None
    assert answer.policy_logits.shape == (0, 4672)
    assert answer.wdl.shape == (0, 3)
    assert answer.values().shape == (0,)


@pytest.mark.parametrize("backend", ["onnx", "torch"])
@pytest.mark.parametrize("shape", [(52, 8, 8), (2, 39, 8, 8), (2, 52, 8), (2, 52, 8, 9)])
def test_planes_of_another_shape_are_a_typed_error(
    saved: Path, backend: str, shape: tuple[int, ...]
) -> None:
    with pytest.raises(InvalidArray, match=r"expected \[B, 52, 8, 8\]"):
        inference.load(saved, backend).evaluate(np.zeros(shape, np.float32))


@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_a_search_takes_the_evaluator(saved: Path, backend: str) -> None:
    start = games.make("chess").initial_state()
    counts = Counts()
    leaves = StateBatch([start, start.play(start.legal_actions[3])])
    answer = evaluate_leaves(inference.load(saved, backend), leaves, counts)
    assert answer.legal_logits is not None
    assert answer.legal_logits.shape == (40,)
    assert (counts.rows, counts.calls) == (2, 1)


@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_an_evaluator_survives_pickling(saved: Path, backend: str) -> None:
    evaluator = inference.load(saved, backend, threads=1)
    copy = pickle.loads(pickle.dumps(evaluator))
    assert type(copy) is type(evaluator)
    shown = positions(3)
    np.testing.assert_allclose(copy.evaluate(shown).value, evaluator.evaluate(shown).value)


def test_an_evaluator_that_was_not_loaded_cannot_be_pickled(saved: Path) -> None:
    manifest = inference.load(saved, "onnx").manifest
    evaluator = TorchEvaluator(networks.make("rise-16x3"), manifest=manifest)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(evaluator)


def test_an_evaluator_survives_a_fork(saved: Path) -> None:
    program = f"""
import os, numpy as np
from phasezoo import inference
evaluator = inference.load({str(saved)!r}, "onnx", threads=2)
planes = np.ones((40, 52, 8, 8), np.float32)
expected = evaluator.evaluate(planes).value
child = os.fork()
if child == 0:
    same = np.allclose(evaluator.evaluate(planes).value, expected)
    os._exit(0 if same else 1)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=120, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_what_the_evaluator_says_of_itself(saved: Path, backend: str) -> None:
    evaluator: NetworkEvaluator = inference.load(saved, backend)
    assert evaluator.game == "chess"
    assert evaluator.plane_spec == "v2"
    assert evaluator.gate == "lichess:classic"
    assert evaluator.phase == "endgame"
    assert evaluator.name == "rise-16x3 (endgame)"
    assert "rise-16x3" in repr(evaluator)


def test_lower_precision_stays_close_where_it_works(saved: Path) -> None:
    if precision.probe("bfloat16", "cpu") is not None:
        with pytest.raises(InvalidConfig, match="use float32"):
            inference.load(saved, "torch", device="cpu", dtype="bfloat16")
        return
    evaluator = inference.load(saved, "torch", device="cpu", dtype="bfloat16")
    shown = positions(50)
    exact = inference.load(saved, "torch", device="cpu").evaluate(shown)
    rough = evaluator.evaluate(shown)
    assert rough.policy_logits.dtype == np.float32
    assert np.abs(rough.value - exact.value).max() < 0.1


@pytest.mark.parametrize("backend", ["torch", "onnx", "openvino"])
def test_threads_out_of_range_are_a_typed_error(saved: Path, backend: Any) -> None:
    threads: Any
    for threads in (0, -1, 1.5, "2", True, 1025, 10**9):
        with pytest.raises(InvalidConfig, match=f"threads={threads!r}"):
            inference.load(saved, backend, threads=threads)


@pytest.mark.parametrize("backend", ["onnx", "auto"])
def test_onnx_needs_no_torch_once_its_file_is_there(saved: Path, backend: str) -> None:
    if backend == "auto" and _has_driver():
        pytest.skip("there may be a GPU here, which torch is asked about")
    inference.load(saved, "onnx")
    program = f"""
import sys
from phasezoo import inference
import numpy as np
inference.load({str(saved)!r}, {backend!r}).evaluate(np.zeros((1, 52, 8, 8), np.float32))
sys.exit("torch" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], timeout=120, check=False, env={**os.environ}
    )
    assert done.returncode == 0
