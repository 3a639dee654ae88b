"""The evaluation cache: what a known position costs, and what a search that comes again gains."""

import time
from typing import Any

import numpy as np

from benchmarks.common import Row, interleaved, sized
from benchmarks.inference_share import TREES, evaluator_of, searched
from phasezoo import arena
from phasezoo.inference import Cached, Counts, Evaluation, StateBatch, evaluate_leaves
from phasezoo.types import Planes

NODES = sized(100, 4)
CALLS = sized(200, 3)


def _known() -> float:
    """Microseconds for each position of a batch of known ones, its planes made before."""
    suite = arena.OpeningSuite.load("chess")
    batch = StateBatch([suite.state(number) for number in range(TREES)])
    cached = Cached(_Zeros())
    evaluate_leaves(cached, batch, Counts())
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        cached.evaluate_batch(batch)
        times.append(time.perf_counter() - start)
    return float(np.median(times)) / TREES * 1e6


class _Zeros:
    plane_spec = "v2"

    def evaluate(self, planes: Planes) -> Evaluation:
        rows = len(planes)
        logits = np.zeros((rows, 4672), dtype=np.float32)
        return Evaluation(policy_logits=logits, value=np.zeros(rows, dtype=np.float32))


def _work(evaluator: Any) -> float:
    searched(evaluator, NODES)
    return TREES * NODES


def rows() -> list[Row]:
    """The cost, and the rates of a search with and without."""
    network = evaluator_of("rise-32x4")
    cached = Cached(network)
    searched(cached, NODES)  # what follows is known
    without, again = interleaved(
        lambda: _work(network),
        lambda: _work(cached),
        repeats=3,
    )
    return [
        Row("evaluation cache: a known position, v2", _known(), "µs", ""),
        Row(
            "search through ONNX Runtime, rise-32x4, all positions cached",
            float(np.median(again)),
            "nodes/s",
            "",
            "the same without a cache",
            float(np.median(without)),
        ),
    ]
