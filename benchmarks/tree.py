"""The tree alone: uniform priors, a midgame position."""

from typing import Any

import numpy as np

from benchmarks.common import Row, Work, compared, counted, interleaved, native, sized
from phasezoo import agents, games, inference

MIDGAME = "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9"
NODES = sized(200_000, 200)

PEER = "lc0's random backend, which encodes too: 165 to 183 k"
AIMS = {
    "v2,mean,16": f"≥ 800 k ({PEER})",
    "v2,-1,16": f"≥ 330 k ({PEER})",
    "none,mean,16": "≥ 1.1 M",
    "none,-1,16": "≥ 450 k",
    "none,mean,16,noise": "≥ 95 % of the row without noise",
    "none,-1,16,noise": "≥ 95 % of the row without noise",
    "v2,mean,64,threads2": "≥ 1.6x one thread",
    "v2,-1,64,threads2": "≥ 1.6x one thread",
}
PLANES = {"v2": "v2 planes for each leaf", "none": "no planes"}
UNVISITED = {"mean": "unvisited = mean", "-1": "unvisited = -1, over 100 plies deep"}


def described(name: str) -> str:
    """Return the description of a name of ``crates/phasezoo-core/benches/tree.rs``."""
    planes, unvisited, batch, *more = name.split(",")
    how = {"noise": "noise 0.25 at the root", "threads2": "one tree, two threads"}
    words = [f"batch {batch}", PLANES[planes], UNVISITED[unvisited], *(how[word] for word in more)]
    return f"tree, uniform, {', '.join(words)}"


def core_alone() -> list[Row]:
    """Return the rows of ``crates/phasezoo-core/benches/tree.rs``."""
    return [
        counted(described(name), "nodes/s", AIMS.get(name, ""), rates)
        for name, *rates in native("tree")
    ]


def python_driven(batch_size: int, fpu: float | None) -> Work:
    """Nodes of one search whose leaves go through Python, as every evaluator's do."""
    agent = agents.MCTSAgent(
        inference.Uniform(),
        limit=agents.Limit(nodes=NODES),
        batch_size=batch_size,
        fpu=fpu,
        seed=1,
        threads=1,
    )
    position = games.make("chess").from_fen(MIDGAME)
    return lambda: float(agent.search(position).nodes)


class Blind:
    """Wants planes, and finds all positions alike: what is left is the price of the planes."""

    def __init__(self, planes: str) -> None:
        self.plane_spec = planes
        self.packed = True

    def evaluate(self, planes: Any) -> inference.Evaluation:
        """Nothing of any position."""
        return inference.Evaluation(value=np.zeros(len(planes), np.float32))


def with_planes(planes: str) -> Work:
    """Nodes of one search that makes these planes of every leaf."""
    limit = agents.Limit(nodes=NODES // 4)
    agent = agents.MCTSAgent(Blind(planes), limit=limit, batch_size=16, seed=1, threads=1)
    position = games.make("chess").from_fen(MIDGAME)
    return lambda: float(agent.search(position).nodes)


def rows() -> list[Row]:
    """The core alone, with and without planes; then the same searches driven from Python."""
    cases = {
        (batch, unvisited): python_driven(batch, fpu)
        for batch in (1, 16, 64)
        for unvisited, fpu in (("mean", 0.0), ("-1", None))
    }
    aims = {1: "≥ 150 k", 64: "≥ 90 % of the core alone"}
    driven = [
        counted(
            f"tree, uniform, driven from Python, batch {batch}, no planes, {UNVISITED[unvisited]}",
            "nodes/s",
            aims.get(batch, ""),
            [str(rate) for rate in rates],
        )
        for (batch, unvisited), rates in zip(cases, interleaved(*cases.values()), strict=True)
    ]
    history = compared(
        "tree, uniform, driven from Python, batch 16, lc0 planes (eight boards of history)",
        "nodes/s",
        "≥ 60 % of v2",
        with_planes("lc0"),
        "the same with v2 planes",
        with_planes("v2"),
    )
    return [*core_alone(), *driven, history]
