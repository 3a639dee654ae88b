"""Search through ONNX Runtime on the CPU: how much of the machine does the network get?

64 trees in one pool, one leaf each, as in a match. Two measures: the share of the time in which the
network answers (making planes counts as search), and the positions a second beside those of the
network alone, asked for 64 at a time, which shows what a search costs that goes on meanwhile.

Then a match between two such searches at 50 nodes, with all that a match does: openings, legal
moves, records. By default it is cut short; ``PHASEZOO_WHOLE_MATCH=1`` plays 200 games to their
ends.
"""

import os
import statistics
import time
from typing import Any

import numpy as np

from benchmarks.common import Row, sized
from phasezoo import agents, arena, games, networks
from phasezoo.agents import Limit
from phasezoo.games.queries import action_spec
from phasezoo.inference.backends.modules import answers_of
from phasezoo.inference.backends.onnx import OnnxEvaluator
from phasezoo.inference.backends.onnx_export import export_onnx
from phasezoo.inference.storage.manifest import Manifest

TREES = sized(64, 4)
REPEATS = sized(5, 1)
NETWORKS = (
    ("resnet-64x10", sized(20, 2), "≥ 99 %"),
    ("rise-32x4", sized(100, 2), "≥ 94 %"),
)
"""Architecture, nodes a tree, aim."""

WHOLE = os.environ.get("PHASEZOO_WHOLE_MATCH") == "1"
GAMES, MAX_PLIES = (200, None) if WHOLE else sized((64, 24), (2, 12))
"""Of the match; its openings are about 8 plies long."""
MATCH_NODES = sized(50, 2)


def evaluator_of(name: str) -> OnnxEvaluator:
    """Return a network with random weights; they cost as much as trained ones."""
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
    """Two rows per network, and one of a match."""
    result = []
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
