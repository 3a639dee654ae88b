"""Search through ONNX Runtime on the CPU: which share of the time is spent in the network?

64 trees in one pool, one leaf each, as in a match. Making planes counts as search, not as
inference.
"""

import statistics
import time

from benchmarks.common import Row
from phasezoo import agents, arena, games, networks
from phasezoo.agents import Limit
from phasezoo.inference.manifest import Manifest, action_spec
from phasezoo.inference.modules import answers_of
from phasezoo.inference.onnx import OnnxEvaluator
from phasezoo.inference.onnx_export import export_onnx

TREES = 64
REPEATS = 5
NETWORKS = (("resnet-64x10", 20, "≥ 98 %"), ("rise-32x4", 100, "≥ 85 %"))
"""Architecture, nodes a tree, aim."""


def evaluator_of(name: str) -> OnnxEvaluator:
    """A network with random weights; they cost as much as trained ones."""
    chess = games.make("chess")
    shape = chess.plane_shape("v2")
    network = networks.make(name, shape, chess.num_actions)
    manifest = Manifest(
        game="chess",
        planes="v2",
        network=name,
        input_shape=shape,
        num_actions=chess.num_actions,
        actions=action_spec(chess.num_actions, shape),
    )
    return OnnxEvaluator(manifest, export_onnx(answers_of(network, manifest), shape))


def share(evaluator: OnnxEvaluator, nodes: int) -> float:
    """Percent of the wall time of one round of searches that passes in the evaluator."""
    chess = games.make("chess")
    suite = arena.OpeningSuite.load("chess")
    seats = agents.MCTSAgent(evaluator, limit=Limit(nodes=nodes)).seats(chess, pool_rows=TREES)
    for tree in range(TREES):
        state = suite.state(tree)
        seats.ask(seats.open(tree), state, state.to_play)
    waiting = TREES
    start = time.perf_counter()
    while waiting:
        waiting -= len(seats.poll())
    return 100 * seats.counts.seconds / (time.perf_counter() - start)


def rows() -> list[Row]:
    """One row per network."""
    result = []
    for name, nodes, aim in NETWORKS:
        evaluator = evaluator_of(name)
        share(evaluator, nodes)
        shares = sorted(share(evaluator, nodes) for _ in range(REPEATS))
        result.append(
            Row(
                f"search through ONNX Runtime, {name}: share of time that is inference",
                statistics.median(shares),
                "%",
                aim,
                spread=(shares[0], shares[-1]),
            )
        )
    return result
