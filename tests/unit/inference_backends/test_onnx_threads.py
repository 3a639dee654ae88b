"""One ONNX network that many threads ask at once."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest
from saved_networks import save_network

from phasezoo import inference
from phasezoo.inference import NetworkEvaluator
from phasezoo.inference.backends import onnx

THREADS = 8
SIZES = (1, 2, 3, 9, 33)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_network(tmp_path_factory.mktemp("network"), "rise-8x1")


@pytest.fixture(autouse=True)
def others_run_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever finds a buffer that nobody holds lets the other threads run before taking it."""
    found = onnx._references

    def slowly(arrays: list[np.ndarray], index: int) -> int:
        count = found(arrays, index)
        time.sleep(1e-4)
        return count

    monkeypatch.setattr(onnx, "_references", slowly)


def batches(evaluator: NetworkEvaluator) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    shape = evaluator.manifest.input_shape
    return [rng.random((SIZES[i % len(SIZES)], *shape), dtype=np.float32) for i in range(15)]


@pytest.mark.parametrize("threads", [1, 2])
def test_many_threads_get_the_answers_of_one(saved: Path, threads: int) -> None:
    evaluator = inference.load(saved, "onnx", threads=threads)
    shown = batches(evaluator)
    serial = [evaluator.evaluate(planes) for planes in shown]
    expected = [(each.policy_logits.copy(), each.wdl.copy()) for each in serial]
    del serial
    wrong: list[str] = []
    ready = threading.Barrier(THREADS)

    def ask(first: int) -> None:
        ready.wait()
        for turn in range(2 * len(shown)):
            index = (first + turn) % len(shown)
            answer = evaluator.evaluate(shown[index])
            policy, wdl = expected[index]
            if not np.allclose(answer.policy_logits, policy, atol=1e-5):
                wrong.append(f"policy {index}")
            if not np.allclose(answer.wdl, wdl, atol=1e-5):
                wrong.append(f"wdl {index}")

    asking = [threading.Thread(target=ask, args=(7 * number,)) for number in range(THREADS)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert wrong == []
