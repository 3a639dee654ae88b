"""Search through ONNX Runtime on the CPU: how much of the machine does the network get?

64 trees in one pool, one leaf each, as in a match. Two measures: the share of the time in which the
network answers (making planes counts as search), and the positions a second beside those of the
network alone, asked for 64 at a time, which shows what a search costs that goes on meanwhile.

Then one tree with a network of one thread, with one mini-batch in flight and with two
(``in_flight``), in nodes a second, through ONNX Runtime and through torch.

Then a match between two such searches at 50 nodes, with all that a match does: openings, legal
moves, records. By default it is cut short; ``PHASEZOO_WHOLE_MATCH=1`` plays 200 games to their
ends.
"""

import os
import statistics
import time
from typing import Any

import numpy as np
import onnxruntime

from benchmarks.common import Row, Work, compared, interleaved, named, sized
from phasezoo import agents, arena, games, networks
from phasezoo.agents import Limit
from phasezoo.games.queries import action_spec
from phasezoo.inference.backends.modules import answers_of
from phasezoo.inference.backends.onnx import OnnxEvaluator
from phasezoo.inference.backends.onnx_export import export_onnx
from phasezoo.inference.backends.torch import TorchEvaluator
from phasezoo.inference.storage.manifest import Manifest

TREES = sized(64, 4)
REPEATS = sized(5, 1)
NETWORKS = (
    ("resnet-64x10", sized(20, 2), "≥ 99 %"),
    ("rise-32x4", sized(100, 2), "≥ 94 %"),
)
"""Architecture, nodes a tree, aim."""

TREE_NETWORK = "lc0-64x6"
TREE_BATCHES = sized((8, 16, 32), (8,))
TREE_NODES = sized(1_000, 40)
BARE_BATCHES = sized((16, 64), (2,))
CALLS = sized(10, 1)

WHOLE = os.environ.get("PHASEZOO_WHOLE_MATCH") == "1"
GAMES, MAX_PLIES = (200, None) if WHOLE else sized((64, 24), (2, 12))
"""Of the match; its openings are about 8 plies long."""
MATCH_NODES = sized(50, 2)


def evaluator_of(name: str, planes: str = "v2", threads: int | None = None) -> OnnxEvaluator:
    """Return a network with random weights; they cost as much as trained ones."""
    chess = games.make("chess")
    shape = chess.plane_shape(planes)
    network = networks.make(name, shape, chess.num_actions)
    manifest = Manifest(
        game="chess",
        planes=planes,
        network=name,
        input_shape=shape,
        num_actions=chess.num_actions,
        actions=action_spec(chess.num_actions, shape),
    )
    model = export_onnx(answers_of(network, manifest), shape)
    return OnnxEvaluator(manifest, model, threads)


def one_tree(evaluator: Any, batch_size: int, in_flight: int) -> Work:
    """Nodes of one search from the start position."""
    agent = agents.MCTSAgent(
        evaluator, limit=Limit(nodes=TREE_NODES), batch_size=batch_size, in_flight=in_flight, seed=1
    )
    state = games.make("chess").initial_state()
    return lambda: float(agent.search(state).nodes)


def bare() -> list[Row]:
    """Return a row for each size of batch: an evaluator beside a session of ONNX Runtime alone."""
    evaluator = evaluator_of(TREE_NETWORK, "lc0", threads=1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(evaluator.model, options)
    (wanted,) = session.get_inputs()
    result = []
    for size in BARE_BATCHES:
        planes = np.random.default_rng(1).random((size, 112, 8, 8), np.float32)

        def ours(planes: Any = planes) -> float:
            for _ in range(CALLS):
                evaluator.evaluate(planes)
            return float(CALLS * len(planes))

        def theirs(planes: Any = planes) -> float:
            for _ in range(CALLS):
                session.run(None, {wanted.name: planes})
            return float(CALLS * len(planes))

        name = f"{TREE_NETWORK}, an evaluator of ONNX Runtime, batch {size}, one thread"
        peer = named("a bare session of ONNX Runtime", "onnxruntime")
        result.append(compared(name, "positions/s", "≥ 94 %", ours, peer, theirs))
    return result


def trees() -> list[Row]:
    """Return a row for each backend and size of batch: two mini-batches in flight beside one."""
    chess = games.make("chess")
    network = networks.make(TREE_NETWORK, chess.plane_shape("lc0"), chess.num_actions)
    backends = {
        named("ONNX Runtime", "onnxruntime"): evaluator_of(TREE_NETWORK, "lc0", threads=1),
        named("torch", "torch"): TorchEvaluator(network, game="chess", planes="lc0", threads=1),
    }
    result = []
    for backend, evaluator in backends.items():
        for size in TREE_BATCHES:
            works = [one_tree(evaluator, size, in_flight) for in_flight in (2, 1)]
            two, one = interleaved(*works, repeats=REPEATS)
            result.append(
                Row(
                    f"one tree, {backend}, {TREE_NETWORK}, batch {size}, in_flight 2",
                    statistics.median(two),
                    "nodes/s",
                    "",
                    "in_flight 1",
                    statistics.median(one),
                    (two[0], two[-1]),
                )
            )
    return result


def searched(evaluator: Any, nodes: int) -> tuple[float, float]:
    """Percent of the wall time of searches in which the evaluator answers, and rows a second."""
    chess = games.make("chess")
    suite = arena.OpeningSuite.load("chess")
    pool = agents.MCTSAgent(evaluator, limit=Limit(nodes=nodes)).session_pool(
        chess, pool_rows=TREES
    )
    for tree in range(TREES):
        state = suite.state(tree)
        pool.ask(pool.open(tree), state, state.to_play)
    waiting = TREES
    start = time.perf_counter()
    while waiting:
        waiting -= len(pool.poll())
    seconds = time.perf_counter() - start
    return 100 * pool.counts.seconds / seconds, pool.counts.rows / seconds


def played(evaluator: Any) -> tuple[float, int]:
    """Percent of the wall time of a match in which the evaluator answers, and rows."""
    sides = [
        agents.MCTSAgent(evaluator, limit=Limit(nodes=MATCH_NODES), seed=seed) for seed in (1, 2)
    ]
    start = time.perf_counter()
    match = arena.play_match(*sides, games=GAMES, max_plies=MAX_PLIES, seed=1)
    seconds = time.perf_counter() - start
    spent = sum(side.counts.seconds for side in match.sides)
    return 100 * spent / seconds, sum(side.counts.rows for side in match.sides)


def alone(evaluator: OnnxEvaluator, calls: int) -> float:
    """Rows a second of the evaluator alone."""
    planes = np.random.default_rng(1).random((TREES, *evaluator.manifest.input_shape), np.float32)
    start = time.perf_counter()
    for _ in range(calls):
        evaluator.evaluate(planes)
    return TREES * calls / (time.perf_counter() - start)


def rows() -> list[Row]:
    """Two rows per network of many trees, those of one tree, and one of a match."""
    result = [*bare(), *trees()]
    for name, nodes, aim in NETWORKS:
        evaluator = evaluator_of(name)
        searched(evaluator, nodes)
        shares, speeds = [], []
        for _ in range(REPEATS):
            peak = alone(evaluator, nodes)
            share, speed = searched(evaluator, nodes)
            shares.append(share)
            speeds.append(100 * speed / peak)
        for measure, found, goal in (
            ("share of time that is inference", shares, aim),
            ("positions a second, of those of the network alone", speeds, ""),
        ):
            spread = (min(found), max(found))
            what = f"search through ONNX Runtime, {name}: {measure}"
            result.append(Row(what, statistics.median(found), "%", goal, spread=spread))
    name, *_ = NETWORKS[0]
    share, count = played(evaluator_of(name))
    length = "" if MAX_PLIES is None else f" cut at ply {MAX_PLIES}"
    what = f"match at {MATCH_NODES} nodes, {name}, {GAMES} games{length}, {count:,} rows"
    result.append(Row(f"{what}: share of inference", share, "%", "≥ 95 %"))
    return result
