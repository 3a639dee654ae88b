"""The tree alone: uniform priors, a midgame position, 16 leaves at a time, one thread."""

from benchmarks.common import Row, alone, counted, native
from phasezoo import agents, games, inference

MIDGAME = "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9"
NODES = 200_000

AIMS = {
    "v2": "≥ 400 k (lc0's random backend, which encodes too: 165 to 183 k)",
    "none": "≥ 900 k",
}
PLANES = {"v2": "v2 planes for each leaf", "none": "no planes"}
UNVISITED = {"mean": "unvisited = mean", "-1": "unvisited = -1, over 100 plies deep"}


def python_driven() -> float:
    """Nodes of one search whose leaves go through Python, as every evaluator's do."""
    limit = agents.Limit(nodes=NODES)
    agent = agents.MCTSAgent(inference.Uniform(), limit=limit, batch_size=16, seed=1, threads=1)
    return float(agent.search(games.make("chess").from_fen(MIDGAME)).nodes)


def core_alone() -> list[Row]:
    """What ``crates/phasezoo-core/benches/tree.rs`` measures."""
    return [
        counted(
            f"tree, uniform, batch 16, {PLANES[planes]}, {UNVISITED[unvisited]}",
            "nodes/s",
            AIMS[planes],
            rates,
        )
        for planes, unvisited, *rates in native("tree")
    ]


def rows() -> list[Row]:
    """The core alone, with and without planes; then the same search driven from Python."""
    name = "the same driven from Python, no planes, unvisited = -1"
    return [*core_alone(), alone(name, "nodes/s", "", python_driven, repeats=3)]
