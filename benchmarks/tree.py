"""The tree alone: uniform priors, a midgame position, 16 leaves at a time, one thread."""

import numpy as np

from benchmarks.common import Row, alone
from phasezoo import agents, games, inference

MIDGAME = "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9"
NODES = 200_000


class PlanesThenUniform:
    """Makes the planes of every leaf, and knows nothing."""

    plane_spec = "v2"

    def evaluate(self, planes: np.ndarray) -> inference.Evaluation:
        """Zero for every position."""
        return inference.Evaluation(
            policy_logits=None, value=np.zeros(len(planes), dtype=np.float32)
        )


def search(evaluator: object) -> float:
    """Nodes of one search."""
    limit = agents.Limit(nodes=NODES)
    agent = agents.MCTSAgent(evaluator, limit=limit, batch_size=16, seed=1, threads=1)
    return float(agent.search(games.make("chess").from_fen(MIDGAME)).nodes)


def rows() -> list[Row]:
    """Two rows: with planes made for each leaf, and without."""
    return [
        alone(
            "tree driven from Python, uniform, batch 16, v2 planes for each leaf",
            "nodes/s",
            "≥ 400 k (lc0's random backend, which encodes too: 165–183 k)",
            lambda: search(PlanesThenUniform()),
            repeats=3,
        ),
        alone(
            "tree driven from Python, uniform, batch 16, without planes",
            "nodes/s",
            "≥ 900 k",
            lambda: search(inference.Uniform()),
            repeats=3,
        ),
    ]
